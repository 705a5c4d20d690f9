import type { Language } from "./taskNotice.ts";
import { inLanguage, sentences } from "./words.ts";

/** A piece of a line: plain text, text that leads somewhere, or text that its author wrote for the chat service. */
export type Piece = string | { text: string; url: string } | { markdown: string };

/** A line of a message; without a label it is text of its own. */
export interface Line {
  label: string;
  value: readonly Piece[];
}

/** A message before it takes the form of a chat service. Texts are as users wrote them; each form makes them harmless. */
export interface Message {
  title: string;
  tone: "good" | "waiting" | "bad";
  /** Failed and rejected work differs from what merely ended early where a service knows three colours. */
  isFailure: boolean;
  lines: readonly Line[];
  /** One block per job. */
  blocks: readonly (readonly Line[])[];
  /** Places of the blocks of jobs that did not pass: where not all blocks can be shown, these are. */
  failedBlocks?: readonly number[];
  /** Where the message's one button leads. */
  link: string;
  language: Language;
}

export function line(label: string, ...value: Piece[]): Line {
  return { label, value };
}

/**
 * The longest message of a kind that its service takes. Where it is too long, jobs that failed come first, lines are left
 * out from the end, and the last line says how many jobs are not shown; a long text is cut between its own lines.
 * @param maxBytes that the service takes
 * @param bytesOf what they are counted of, in UTF-8: the whole of what `build` makes as JSON, unless said otherwise
 */
export function fitted<T>(
  message: Message,
  maxBytes: number,
  build: (message: Message) => T,
  bytesOf: (built: T) => number = (built) => byteLength(JSON.stringify(built)),
): T {
  const fits = (one: Message) => bytesOf(build(one)) <= maxBytes;
  if (fits(message)) return build(message);
  const all = withShortLines(failedFirst(message), maxBytes);
  const total = all.lines.length + all.blocks.reduce((sum, block) => sum + block.length, 0);
  let kept = largest(total, (count) => fits(begun(all, count)));
  // One text alone, such as an author's own: as much of it as there is room for.
  const [only, ...others] = all.lines;
  if (kept === 0 && only !== undefined && others.length + all.blocks.length === 0) {
    const length = largest(textOf(only).length, (most) => fits({ ...all, lines: [cutLine(only, most)] }));
    return build({ ...all, lines: [cutLine(only, length)] });
  }
  while (kept > 0 && !fits(begun(all, kept))) kept -= 1;
  return build(begun(all, kept));
}

/** The greatest number up to `most` for which something holds that holds for all smaller ones; 0 where it holds for none. */
function largest(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function failedFirst(message: Message): Message {
  const failed = new Set(message.failedBlocks ?? []);
  const places = message.blocks.map((_, at) => at).sort((a, b) => Number(failed.has(b)) - Number(failed.has(a)));
  return { ...message, blocks: places.flatMap((at) => message.blocks.slice(at, at + 1)) };
}

const longestTitle = 256;

/** No line may take the room of all others. */
function withShortLines(message: Message, maxBytes: number): Message {
  const title = cutText(message.title, longestTitle);
  if (message.lines.length + message.blocks.length === 1) return { ...message, title };
  const short = (one: Line) => cutLine(one, Math.floor(maxBytes / 8));
  return {
    ...message,
    title,
    lines: message.lines.map(short),
    blocks: message.blocks.map((block) => block.map(short)),
  };
}

/** The first so many lines, and how many jobs are not among them. */
function begun(message: Message, count: number): Message {
  let left = count;
  const taken = [message.lines, ...message.blocks].map((block) => {
    const lines = block.slice(0, left);
    left -= lines.length;
    return lines;
  });
  const [lines = [], ...blocks] = taken;
  const shown = blocks.filter((block) => block.length > 0);
  const missing = message.blocks.length - shown.length;
  const words = missing === 0 ? "…" : `… ${inLanguage(sentences.moreJobs, message.language)} ${missing}`;
  return { ...message, lines, blocks: [...shown, [line("", words)]] };
}

function textOf({ value }: Line): string {
  return value
    .map((piece) => (typeof piece === "string" ? piece : "text" in piece ? piece.text : piece.markdown))
    .join("");
}

/** @param most characters of its text */
function cutLine({ label, value }: Line, most: number): Line {
  let left = most;
  const pieces: Piece[] = [];
  for (const piece of value) {
    const text = textOf({ label, value: [piece] });
    if (text.length <= left) pieces.push(piece);
    else if (left > 0)
      pieces.push(
        typeof piece === "object" && "markdown" in piece ? { markdown: cutText(text, left) } : cutText(text, left),
      );
    if (text.length > left) break;
    left -= text.length;
  }
  return { label, value: pieces };
}

/** Between two of its lines where it has several, and not inside a character. */
function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const begin = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  const end = begin.lastIndexOf("\n");
  return `${end > 0 ? begin.slice(0, end + 1) : begin}…`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
