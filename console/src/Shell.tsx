import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { systemRightsQuery } from "./adminQueries.ts";
import { followChanges } from "./liveChanges.ts";
import { SignInAgain } from "./SignInAgain.tsx";
import { useSession } from "./session.ts";
import { signOut } from "./signOut.ts";
import { useWords } from "./words.tsx";

/** The frame around every page for a signed-in user. */
export function Shell() {
  const { t, language, choose } = useWords();
  const session = useSession();
  useEffect(() => (session === undefined || session.hasEnded ? undefined : followChanges(session)), [session]);
  return (
    <>
      <a className="skip" href={`${location.pathname}${location.search}#content`}>
        {t("Skip to the content")}
      </a>
      <header>
        <Link to="/" className="brand">
          Slipway
        </Link>
        <nav aria-label={t("Main navigation")}>
          <Link to="/" activeOptions={{ exact: true }}>
            {t("Projects")}
          </Link>
          <Link to="/v1/releasePlan">{t("Release plans")}</Link>
          <Link to="/v1/statistics">{t("Statistics")}</Link>
          {session !== undefined && <ToAdministration />}
          <Link to="/account">{session?.name}</Link>
        </nav>
        <div className="tools">
          <Colours />
          <button
            type="button"
            lang={language === "en" ? "zh" : "en"}
            onClick={() => choose(language === "en" ? "zh" : "en")}
          >
            {language === "en" ? "中文" : "English"}
          </button>
          <button type="button" onClick={() => void signOut()}>
            {t("Sign out")}
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      {session?.hasEnded && <SignInAgain account={session.account} />}
    </>
  );
}

function ToAdministration() {
  const { t } = useWords();
  const { data } = useQuery(systemRightsQuery);
  return data?.mayReadLog === true && <Link to="/administration">{t("Administration")}</Link>;
}

const place = "slipway.colours";
const isDarkAtFirst = (): boolean =>
  (localStorage.getItem(place) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
if (localStorage.getItem(place) !== null) document.documentElement.dataset.colours = localStorage.getItem(place) ?? "";

function Colours() {
  const { t } = useWords();
  const [isDark, setDark] = useState(isDarkAtFirst);
  const change = (): void => {
    const next = isDark ? "light" : "dark";
    localStorage.setItem(place, next);
    document.documentElement.dataset.colours = next;
    setDark(!isDark);
  };
  return (
    <button type="button" onClick={change} aria-label={isDark ? t("Light colours") : t("Dark colours")}>
      {isDark ? "☀" : "☾"}
    </button>
  );
}
