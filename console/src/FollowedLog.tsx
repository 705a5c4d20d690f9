import { Button } from "@mantine/core";
import { lines } from "@slipway/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { download } from "./download.ts";
import { Failure, Search } from "./parts.tsx";
import { address, currentSession } from "./session.ts";
import { useWords } from "./words.tsx";

/** The newest lines that are kept; a page with more of them would only be slow. */
const maxLines = 5000;
const flushMilliseconds = 200;

/** A stream of lines, shown as they arrive while the component is shown; `children` choose what is followed. */
export function FollowedLog({ name, path, children }: { name: string; path: string; children?: ReactNode }) {
  const { t } = useWords();
  const [said, setSaid] = useState<readonly string[]>([]);
  const [error, setError] = useState<Error>();
  const [text, setText] = useState("");
  const [wraps, setWraps] = useState(true);
  const view = useRef<HTMLPreElement>(null);
  useEffect(() => {
    setSaid([]);
    setError(undefined);
    const leaving = new AbortController();
    let waiting: string[] = [];
    const timer = setInterval(() => {
      if (waiting.length === 0) return;
      const more = waiting;
      waiting = [];
      setSaid((before) => [...before, ...more].slice(-maxLines));
    }, flushMilliseconds);
    const follow = async (): Promise<void> => {
      const stream = lines({ address, token: currentSession()?.token }, path, leaving.signal);
      for await (const line of stream) waiting.push(line.text);
    };
    follow().catch((reason: Error) => {
      if (!leaving.signal.aborted) setError(reason);
    });
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [path]);
  const count = said.length;
  useEffect(() => {
    const element = view.current;
    // A user who has scrolled up is reading there.
    if (element !== null && count > 0 && element.scrollHeight - element.scrollTop - element.clientHeight < 200)
      element.scrollTop = element.scrollHeight;
  }, [count]);
  const shown = text === "" ? said : said.filter((line) => line.toLowerCase().includes(text.toLowerCase()));
  return (
    <section className="log" aria-label={t("Log of {name}", { name })}>
      <div className="head">
        {children}
        <Search label={t("Search the log")} text={text} onChange={setText} />
        <label className="check">
          <input type="checkbox" checked={wraps} onChange={() => setWraps(!wraps)} /> {t("Wrap lines")}
        </label>
        <Button
          type="button"
          onClick={() => download(`${name}.log`, new Blob([`${said.join("\n")}\n`], { type: "text/plain" }))}
        >
          {t("Download")}
        </Button>
      </div>
      {error !== undefined && <Failure error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre ref={view} tabIndex={0} className={wraps ? "wraps" : ""}>
        {shown.length === 0 ? t("Nothing was said yet.") : shown.join("\n")}
      </pre>
    </section>
  );
}
