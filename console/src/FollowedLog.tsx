import { Button } from "@mantine/core";
import { lines } from "@slipway/client";
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { download } from "./download.ts";
import { pieces, plainLine } from "./log/ansi.ts";
import { Failure, Search } from "./parts.tsx";
import { address, currentSession } from "./session.ts";
import { useWords } from "./words.tsx";

/** The newest lines that are kept. */
const maxLines = 50_000;
/** Lines are drawn by the block; those that are not on the screen cost nothing. */
const blockLines = 200;
const flushMilliseconds = 200;
/** Closer to the end than this, in pixels, new lines move the view on. */
const endPixels = 40;

interface Said {
  lines: readonly string[];
  /** How many lines before these are no longer kept. */
  dropped: number;
}

const nothing: Said = { lines: [], dropped: 0 };

function withMore({ lines: before, dropped }: Said, more: readonly string[]): Said {
  const all = [...before, ...more];
  // Whole blocks, so that those that stay are the same.
  const excess = Math.ceil(Math.max(0, all.length - maxLines) / blockLines) * blockLines;
  return { lines: all.slice(excess), dropped: dropped + excess };
}

/** The lines of a stream as they arrive. */
function useStream(path: string): { said: Said; error: Error | undefined } {
  const [said, setSaid] = useState(nothing);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    setSaid(nothing);
    setError(undefined);
    const leaving = new AbortController();
    let waiting: string[] = [];
    const timer = setInterval(() => {
      if (waiting.length === 0) return;
      const more = waiting;
      waiting = [];
      setSaid((before) => withMore(before, more));
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
  return { said, error };
}

/** A stream of lines, shown as they arrive while the component is shown; `children` choose what is followed. */
export function FollowedLog({ name, path, children }: { name: string; path: string; children?: ReactNode }) {
  const { t } = useWords();
  const { said, error } = useStream(path);
  const [text, setText] = useState("");
  const [wraps, setWraps] = useState(true);
  const [isTall, setTall] = useState(false);
  // A user who has scrolled up is reading there; at the end the view goes on with the log.
  const [follows, setFollows] = useState(true);
  const view = useRef<HTMLPreElement>(null);
  const shown = useMemo(
    () =>
      text === ""
        ? said.lines
        : said.lines.filter((line) => plainLine(line).toLowerCase().includes(text.toLowerCase())),
    [said, text],
  );
  const toEnd = (): void => {
    const element = view.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other lines, or they are drawn in another way
  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [shown, follows, wraps, isTall]);
  const look = (): void => {
    const element = view.current;
    if (element !== null) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < endPixels);
  };
  const save = (): void => {
    const whole = `${said.lines.map(plainLine).join("\n")}\n`;
    download(`${name}.log`, new Blob([whole], { type: "text/plain" }));
  };
  return (
    <section className="log" aria-label={t("Log of {name}", { name })}>
      <div className="head">
        {children}
        <Search label={t("Search the log")} text={text} onChange={setText} />
        <label className="check">
          <input type="checkbox" checked={wraps} onChange={() => setWraps(!wraps)} /> {t("Wrap lines")}
        </label>
        <div className="actions">
          {!follows && <Button onClick={() => setFollows(true)}>{t("Jump to the end")}</Button>}
          <Button aria-pressed={isTall} onClick={() => setTall(!isTall)}>
            {t("Full height")}
          </Button>
          <Button type="button" onClick={save}>
            {t("Download")}
          </Button>
        </div>
      </div>
      {error !== undefined && <Failure error={error} />}
      {said.dropped > 0 && (
        <p className="quiet" role="status">
          {t("The {count} lines before these are not kept here.", { count: said.dropped })}
        </p>
      )}
      <pre
        ref={view}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        className={[wraps ? "wraps" : "", isTall ? "tall" : ""].join(" ")}
        onScroll={look}
      >
        {shown.length === 0 ? t("Nothing was said yet.") : <Blocks lines={shown} first={said.dropped} />}
      </pre>
    </section>
  );
}

/** @param first the number of the first line, which gives blocks their names as older ones go */
function Blocks({ lines: all, first }: { lines: readonly string[]; first: number }) {
  const starts = Array.from({ length: Math.ceil(all.length / blockLines) }, (_, at) => at * blockLines);
  return starts.map((start) => {
    const some = all.slice(start, start + blockLines);
    return <Block key={first + start} text={some.join("\n")} />;
  });
}

/** Drawn again only when its text is another one. */
const Block = memo(function Block({ text }: { text: string }) {
  return (
    <span className="block">
      {text.includes("\x1b")
        ? text.split("\n").map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that does not change
            <span key={at}>
              {pieces(line).map((piece, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line that does not change
                <span key={index} className={piece.look}>
                  {piece.text}
                </span>
              ))}
              {"\n"}
            </span>
          ))
        : `${text}\n`}
    </span>
  );
});
