import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useWords } from "../words.tsx";
import { useCrumbs } from "./crumbs.ts";

/** Where the page is, and the ways up from it; tabs and bookmarks of the browser are called by it. */
export function Crumbs() {
  const { t } = useWords();
  const crumbs = useCrumbs();
  const title = [...crumbs.map(({ label }) => label).reverse(), "Slipway"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <nav className="crumbs" aria-label={t("Where you are")}>
      <ol>
        {crumbs.map(({ label, href }, at) => (
          <li key={label + href}>
            {href === undefined || at === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : (
              <Link to={href}>{label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
