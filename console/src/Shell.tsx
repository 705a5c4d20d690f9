import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { LogOut, Menu, Moon, Search, Sun } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { Crumbs } from "./frame/Crumbs.tsx";
import { Offline } from "./frame/Offline.tsx";
import { Shortcuts } from "./frame/Shortcuts.tsx";
import { Sidebar } from "./frame/Sidebar.tsx";
import { followChanges } from "./liveChanges.ts";
import { SignInAgain } from "./SignInAgain.tsx";
import { useSession } from "./session.ts";
import { signOut } from "./signOut.ts";
import { useWords } from "./words.tsx";

const OperationsHere = lazy(() =>
  import("./operations/OperationsHere.tsx").then((module) => ({ default: module.OperationsHere })),
);
const Palette = lazy(() => import("./frame/Palette.tsx"));

/** A fragment alone would be one of the base address. */
const base = new URL(document.baseURI).pathname.replace(/\/$/, "");

/** The frame around every page for a signed-in user. */
export function Shell() {
  const { t } = useWords();
  const session = useSession();
  const { pathname, searchStr } = useLocation();
  const [hasMenu, setMenu] = useState(false);
  const [searches, setSearches] = useState(0);
  const search = useCallback(() => setSearches((before) => before + 1), []);
  useEffect(() => (session === undefined || session.hasEnded ? undefined : followChanges(session)), [session]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when its page is there
  useEffect(() => setMenu(false), [pathname]);
  return (
    <>
      <a className="skip" href={`${base}${pathname}${searchStr}#content`}>
        {t("Skip to the content")}
      </a>
      <div className={hasMenu ? "frame with-menu" : "frame"}>
        <aside aria-label={t("Pages of the console")}>
          <Link to="/" className="brand">
            Slipway
          </Link>
          <Sidebar />
        </aside>
        <header>
          <ActionIcon
            className="menu"
            variant="subtle"
            aria-label={t("Menu")}
            aria-expanded={hasMenu}
            onClick={() => setMenu(!hasMenu)}
          >
            <Menu size={18} aria-hidden />
          </ActionIcon>
          <Crumbs />
          <Suspense>
            <OperationsHere />
          </Suspense>
          <Tools search={search} />
        </header>
        <main id="content" tabIndex={-1}>
          <Offline />
          <Outlet />
        </main>
      </div>
      <Shortcuts search={search} />
      {searches > 0 && (
        <Suspense>
          <Palette asked={searches} />
        </Suspense>
      )}
      {session?.hasEnded && <SignInAgain account={session.account} />}
    </>
  );
}

function Tools({ search }: { search(): void }) {
  const { t, language, choose } = useWords();
  return (
    <div className="tools">
      <Button
        className="search"
        aria-label={t("Search everything")}
        leftSection={<Search size={14} aria-hidden />}
        onClick={search}
      >
        <span>{t("Search everything")}</span>
      </Button>
      <Colours />
      <Button
        variant="subtle"
        lang={language === "en" ? "zh" : "en"}
        onClick={() => choose(language === "en" ? "zh" : "en")}
      >
        {language === "en" ? "中文" : "English"}
      </Button>
      <ActionIcon variant="subtle" aria-label={t("Sign out")} title={t("Sign out")} onClick={() => void signOut()}>
        <LogOut size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

function Colours() {
  const { t } = useWords();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  const label = isDark ? t("Light colours") : t("Dark colours");
  const Icon = isDark ? Sun : Moon;
  return (
    <ActionIcon
      variant="subtle"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(isDark ? "light" : "dark")}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}
