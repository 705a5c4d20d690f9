import { Button, Input, Skeleton, VisuallyHidden } from "@mantine/core";
import { SlipwayError } from "@slipway/client";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState, useSyncExternalStore } from "react";
import { useWords } from "./words.tsx";

export type Tone = "good" | "bad" | "busy";

const tones: Readonly<Record<string, Tone>> = {
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

/** Whether a status is good, bad, or between the two. */
export const toneOf = (status: string): Tone => tones[status.toLowerCase()] ?? "busy";

/** A status as people read it, or in `children`; colour and shape only repeat it. */
export function Status({ status, children }: { status: string; children?: ReactNode }) {
  const { word } = useWords();
  return <span className={`status ${toneOf(status)}`}>{children ?? word(status)}</span>;
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
        <Button type="button" onClick={again}>
          {t("Try again")}
        </Button>
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
        <div className="loading" role="status">
          <VisuallyHidden>{t("Loading…")}</VisuallyHidden>
          {["60%", "100%", "85%"].map((width) => (
            <Skeleton key={width} height={14} width={width} />
          ))}
        </div>
      )}
    </>
  );
}

export function Search({ label, text, onChange }: { label: string; text: string; onChange(text: string): void }) {
  return (
    <Input
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

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago something was, such as "3 minutes ago"; exactly when is shown on hover. @param seconds since 1970 */
export function Ago({ seconds }: { seconds: number }) {
  const { locale } = useWords();
  const passed = useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / 60_000)) * 60 - seconds;
  const [unit, size] = steps.find(([, size]) => Math.abs(passed) >= size) ?? ["second", Number.POSITIVE_INFINITY];
  const count = Math.trunc(-passed / size);
  const at = new Date(seconds * 1000);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString(locale)}>
      {new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(count, unit)}
    </time>
  );
}

function everyMinute(look: () => void): () => void {
  const timer = setInterval(look, 20_000);
  return () => clearInterval(timer);
}

/** Who did something, and how long ago. @param seconds since 1970 */
export function When({ who, seconds }: { who: string; seconds: number }) {
  return (
    <>
      {who}, <Ago seconds={seconds} />
    </>
  );
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
  if (page === 1 && isLast) return null;
  return (
    <nav className="head" aria-label={name === "page" ? t("Pages") : t("Pages of the list")}>
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
