import type { Answer, Call } from "./callOperation.ts";
import { WrongCall } from "./wrongCall.ts";

/** Characters of one answer, some 10,000 tokens: hosts drop or cut what is much longer. */
export const maxCharacters = 40_000;
/** Of a JSON answer that is read at all. Slipway's own end at 6 MB. */
const maxJsonCharacters = 16_000_000;

/** Which part of an answer is wanted. */
export interface View {
  /** Dotted path into a JSON answer, such as `services[0].containers`. */
  part?: string | undefined;
  /** Characters left out from the beginning. */
  skip?: number | undefined;
  /** Of a text: its last lines alone. */
  lastLines?: number | undefined;
}

/**
 * What a model reads of an answer, with a sentence about what it does not.
 * @throws WrongCall when the answer has no such part
 */
export async function shownAnswer(call: Call, answer: Answer, view: View): Promise<string> {
  const isJson = answer.mediaType === "application/json";
  if (view.part !== undefined && !isJson) throw new WrongCall(`${call.operation.id} answers text, which has no parts`);
  const shown = isJson ? await shownJson(call, answer, view) : await shownText(call, answer, view);
  const left = answer.truncated;
  return left === undefined
    ? shown
    : `${shown}\n[Slipway left out the end of this list: it holds ${left}.${narrower(call)}]`;
}

async function shownJson(call: Call, { text }: Answer, { part, skip = 0 }: View): Promise<string> {
  let whole = "";
  for await (const piece of text) {
    whole += piece;
    if (whole.length > maxJsonCharacters) throw new WrongCall(`the answer is too large to be read.${narrower(call)}`);
  }
  const value: unknown = whole === "" ? "" : JSON.parse(whole);
  const found = part === undefined ? whole : JSON.stringify(partOf(value, part));
  const hint = ` \`part\` takes a part of it alone: ${keysOf(part === undefined ? value : partOf(value, part), part)}.`;
  return cut(found, skip, found.length, narrower(call) + hint);
}

/** Of a text only as much is read as is shown. */
async function shownText(call: Call, { text }: Answer, { skip = 0, lastLines }: View): Promise<string> {
  const hint = `${narrower(call)} \`lastLines\` takes its end alone.`;
  let kept = "";
  if (lastLines === undefined) {
    for await (const piece of text) {
      kept += piece;
      if (kept.length > skip + maxCharacters) return cut(kept, skip, undefined, hint);
    }
    return cut(kept, skip, kept.length, hint);
  }
  for await (const piece of text) kept = (kept + piece).slice(-maxCharacters - 1);
  const isCut = kept.length > maxCharacters;
  const last = kept.slice(-maxCharacters).trimEnd().split("\n").slice(-lastLines);
  return isCut && last.length < lastLines
    ? `[Only the last ${maxCharacters} characters: ask for fewer lines.]\n${last.join("\n")}`
    : last.join("\n");
}

function cut(text: string, skip: number, total: number | undefined, hint: string): string {
  const end = skip + maxCharacters;
  const isAll = total !== undefined && total <= end;
  if (isAll) return text.slice(skip);
  const of = total === undefined ? "" : ` of ${total}`;
  const shown = text.slice(skip, end);
  return `${shown}\n[Cut: characters ${skip} to ${end}${of}. skip=${end} goes on from there.${hint}]`;
}

/** By which parameters there is less of it. */
function narrower({ operation, parameters }: Call): string {
  const free = operation.parameters.filter(({ name, in: place }) => place === "query" && !(name in parameters));
  const all = operation.parameters.map(({ name }) => name);
  const pages = all.filter((name) => /^(page|perPage)/i.test(name));
  const page = pages.length === 0 ? "" : ` It has pages: ${pages.join(" and ")}.`;
  const others = free.map(({ name }) => name).filter((name) => !pages.includes(name));
  return others.length === 0 ? page : `${page} These parameters may narrow it: ${others.join(", ")}.`;
}

const maxKeys = 30;

function keysOf(value: unknown, before = ""): string {
  if (Array.isArray(value)) return `${before}[0] to ${before}[${value.length - 1}]`;
  if (typeof value !== "object" || value === null) return "it has none";
  const keys = Object.keys(value).map((key) => (before === "" ? key : `${before}.${key}`));
  return keys.slice(0, maxKeys).join(", ") + (keys.length > maxKeys ? ", …" : "");
}

function partOf(value: unknown, part: string): unknown {
  let found = value;
  let before = "";
  for (const step of part.split(/\.|(?=\[)/).filter((one) => one !== "")) {
    const key = /^\[(\d+)\]$/.exec(step)?.[1] ?? step;
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, key);
    if (!isThere) throw new WrongCall(`the answer has no part ${part}; there are: ${keysOf(found, before)}`);
    found = (found as Record<string, unknown>)[key];
    before = step.startsWith("[") || before === "" ? before + step : `${before}.${step}`;
  }
  return found;
}
