import { isSensitive } from "../../shared/base/common/sensitiveKey.ts";
import type { Example } from "../../shared/http/document/addExamples.ts";
import { declarations } from "../security/declarations.ts";
import { operationNamed } from "./document.ts";

export interface RecordedCall {
  name: string;
  request: { params: Record<string, string>; query: Record<string, string>; body: unknown };
  answer: { json: unknown; text: string };
  /** A body exactly as it was sent. */
  text?: string;
}

const hidden = "********";
const longestText = 600;
const longestList = 2;
const longestAnswer = 100_000;
/** Beginning of 2026, in place of the time at which a test ran. */
const then = Date.UTC(2026, 0, 1) / 1000;
const recentSeconds = 90 * 24 * 3600;

/**
 * One example an operation, by its id: of several calls the first with the most to see. What differs from run to run has the
 * same value in each, so that the file of examples changes only where calls do.
 * @param secrets texts that may stand in no example
 */
export function examplesOf(calls: readonly RecordedCall[], secrets: readonly string[]): Record<string, Example> {
  const found = declarations.map(({ name, route }): [string, Example] => {
    const own = calls.filter((call) => call.name === name);
    const [best] = own.toSorted((a, b) => worthOf(b) - worthOf(a));
    const { params = {}, query = {} } = best?.request ?? {};
    const body = best?.request.body ?? jsonOf(best?.text);
    const clean = cleaner(secrets);
    const parameters = clean({ ...params, ...query }) as Record<string, string>;
    return [
      operationNamed(name).operationId,
      {
        ...(Object.keys(parameters).length > 0 && { parameters }),
        ...(body !== undefined && { body: clean(body) }),
        ...(best !== undefined && route.responseType !== "gzip" && { answer: clean(answerOf(best, route)) }),
      },
    ];
  });
  return Object.fromEntries(found);
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of an answer that is too long to be read, only what is not a list or an object. */
function answerOf({ answer: { json, text } }: RecordedCall, { responseType }: { responseType: string }): unknown {
  if (responseType !== "json") return text;
  if (text.length < longestAnswer || typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).filter(([, value]) => typeof value !== "object"));
}

/** An answer with something in it shows more than an empty list. */
const worthOf = ({ answer, request }: RecordedCall): number =>
  Math.min(answer.text.length, 2000) + (request.body === undefined ? 0 : 500);

function cleaner(secrets: readonly string[]): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const numbered = (text: string, form: (number: number) => string): string => {
    const known = ids.get(text) ?? form(ids.size + 1);
    ids.set(text, known);
    return known;
  };
  const cleanText = (text: string): string => {
    const open = secrets.reduce((left, secret) => (secret === "" ? left : left.replaceAll(secret, hidden)), text);
    const plain = open
      .replace(/https?:\/\/127\.0\.0\.1:\d+/g, "https://slipway.example.com")
      .replace(/127\.0\.0\.1:\d+/g, "registry.example.com")
      .replace(/\b(slw|sls)_[\w-]{8,}/g, `$1_${hidden}`)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) =>
        numbered(id, (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`),
      )
      .replace(/\b[0-9a-f]{64}\b/g, (digest) => numbered(digest, (number) => String(number).padStart(64, "0")))
      .replace(/\b[0-9a-f]{24}\b/g, (id) => numbered(id, (number) => `6955b900${String(number).padStart(16, "0")}`))
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "2026-01-01T00:00:00Z");
    return plain.length > longestText ? `${plain.slice(0, longestText)}…` : plain;
  };
  const clean = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") return isSensitive(key) && value !== "" ? hidden : cleanText(value);
    if (typeof value === "number") return recent(value);
    if (Array.isArray(value)) return value.slice(0, longestList).map((one) => clean(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), clean(one, name)]));
  };
  return (value) => clean(value);
}

function recent(value: number): number {
  const now = Date.now() / 1000;
  if (Math.abs(value - now) < recentSeconds) return then;
  if (Math.abs(value / 1000 - now) < recentSeconds) return then * 1000;
  return value;
}
