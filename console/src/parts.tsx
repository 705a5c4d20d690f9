import { SlipwayError } from "@slipway/client";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useWords } from "./words.tsx";

const tones: Readonly<Record<string, string>> = {
  running: "good",
  success: "good",
  passed: "good",
  done: "good",
  normal: "good",
  approve: "good",
  failed: "bad",
  error: "bad",
  unstable: "bad",
  timeout: "bad",
  reject: "bad",
  denied: "bad",
  abnormal: "bad",
  disconnected: "bad",
};

/** A status as people read it, or in `children`; its colour only repeats it. */
export function Status({ status, children }: { status: string; children?: ReactNode }) {
  const { word } = useWords();
  return <span className={`status ${tones[status.toLowerCase()] ?? "busy"}`}>{children ?? word(status)}</span>;
}

/** The way back from a page to its project, and on from there by `children`. */
export function Trail({ project, children }: { project: string; children?: ReactNode }) {
  return (
    <p className="trail">
      <Link to="/v1/projects/detail/$project" params={{ project }}>
        {project}
      </Link>
      {children}
    </p>
  );
}

/** What went wrong, in the server's words with each problem, and a way to go on. */
export function Failure({ error, again }: { error: Error; again?: () => void }) {
  const { t } = useWords();
  const problems = error instanceof SlipwayError ? error.problems : [];
  const description = error instanceof SlipwayError ? error.description : "";
  return (
    <div className="failure" role="alert">
      <strong>{error.message}</strong>
      {description !== "" && <p>{description}</p>}
      {problems.length > 0 && (
        <ul>
          {problems.map(({ path, problem }) => (
            <li key={path + problem}>
              {path !== "" && <code>{path}</code>} {problem}
            </li>
          ))}
        </ul>
      )}
      {again !== undefined && (
        <button type="button" onClick={again}>
          {t("Try again")}
        </button>
      )}
    </div>
  );
}

interface Reading<T> {
  data: T | undefined;
  error: Error | null;
  refetch(): unknown;
}

/** What a query answered; while it has not, that, and when it cannot, why. The last answer stays while a later one fails. */
export function Loaded<T>({ from, children }: { from: Reading<T>; children: (data: T) => ReactNode }) {
  const { t } = useWords();
  return (
    <>
      {from.error !== null && <Failure error={from.error} again={() => void from.refetch()} />}
      {from.data !== undefined && children(from.data)}
      {from.data === undefined && from.error === null && (
        <p className="quiet" role="status">
          {t("Loading…")}
        </p>
      )}
    </>
  );
}

export function Search({ label, text, onChange }: { label: string; text: string; onChange(text: string): void }) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** A search that is asked for by Enter. @param text what was asked for last */
export function SearchForm({ label, text, search }: { label: string; text: string; search(text: string): void }) {
  const [typed, setTyped] = useState(text);
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        search(typed);
      }}
    >
      <Search label={label} text={typed} onChange={setTyped} />
    </form>
  );
}

/** Who did something, and when, as the reader's language and time zone have it. @param seconds since 1970 */
export function When({ who, seconds }: { who: string; seconds: number }) {
  const { t, locale } = useWords();
  return t("{who}, {when}", { who, when: new Date(seconds * 1000).toLocaleString(locale) });
}

/** What pages of lists are called in addresses: two lists of one page of the console have two names. */
type ListPage = "page" | "users" | "list";

/**
 * Ways to the neighbours of a page of a list: one whose newest come first, others by name.
 * @param page from 1 @param name of the page in the address
 */
export function Pages({ page, isLast, name = "page" }: { page: number; isLast: boolean; name?: ListPage }) {
  const { t } = useWords();
  const [before, after] = name === "page" ? [t("Newer"), t("Older")] : [t("Previous"), t("Next")];
  return (
    <nav className="head" aria-label={t("Pages")}>
      {page > 1 && (
        <Link to="." search={(now) => ({ ...now, [name]: page === 2 ? undefined : page - 1 })}>
          {before}
        </Link>
      )}
      {!isLast && (
        <Link to="." search={(now) => ({ ...now, [name]: page + 1 })}>
          {after}
        </Link>
      )}
    </nav>
  );
}

/** A unified difference, what came and what went in their colours. */
export function Diff({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <pre tabIndex={0}>
      {text.split("\n").map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that does not change
        <span key={at} className={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}
