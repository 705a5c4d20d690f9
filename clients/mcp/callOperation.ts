import { type Connection, connect, lines, type Problem } from "@slipway/client";
import type { Operation } from "./apiDocument.ts";
import { WrongCall } from "./wrongCall.ts";

type Value = string | number | boolean;

/** What an operation is called with, as a model gives it. */
export interface Call {
  operation: Operation;
  /** Of path and query, by name. */
  parameters: Readonly<Record<string, unknown>>;
  body?: unknown;
}

export interface Extras {
  dryRun?: true;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface Answer {
  mediaType: string;
  text: AsyncIterable<string>;
  /** What Slipway says that it left out of a list, `812 of 2000`. */
  truncated: string | undefined;
}

/** How long a log that is followed may say nothing, and how long it is followed at most. */
const quietMilliseconds = 1500;
const followedMilliseconds = 20_000;

/**
 * Sends a call with the caller's token.
 * @throws WrongCall for parameters that the operation does not have, or that are missing
 * @throws SlipwayError what Slipway refused, or that nothing answers
 */
export async function callOperation(connection: Connection, call: Call, extras: Extras = {}): Promise<Answer> {
  const { operation, body } = call;
  const { path, query } = placed(call);
  if (operation.mediaType === "text/event-stream")
    return {
      mediaType: "text/plain",
      text: followed(connection, pathOf(operation, path, query)),
      truncated: undefined,
    };
  // Which of the endpoints it is is known only here; the types of the client are those of one.
  const request = connect(connection).request as unknown as (method: string, path: string, init: object) => Sent;
  const { data, response } = await request(operation.method.toLowerCase(), operation.path, {
    params: { path, query: { ...query, ...(extras.dryRun && { dryRun: "true" }) } },
    ...(body !== undefined && { body }),
    ...(extras.idempotencyKey !== undefined && { headers: { "Idempotency-Key": extras.idempotencyKey } }),
    ...(extras.signal && { signal: extras.signal }),
    parseAs: "stream",
  });
  return {
    mediaType: response.headers.get("content-type")?.split(";")[0] ?? operation.mediaType,
    text: data?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>) ?? nothing(),
    truncated: response.headers.get("x-truncated") ?? undefined,
  };
}

type Sent = Promise<{ data?: ReadableStream<Uint8Array>; response: Response }>;

async function* nothing(): AsyncGenerator<string> {}

/** Inside a path these would make it another one, and the call another than was confirmed. */
const otherPaths = new Set<unknown>(["", ".", ".."]);

/**
 * Parameters by where they go.
 * @throws WrongCall for those that the operation does not have, or that are missing
 */
export function placed({ operation, parameters, body }: Call): Record<"path" | "query", Record<string, Value>> {
  const places: Record<"path" | "query", Record<string, Value>> = { path: {}, query: {} };
  const problems: Problem[] = [];
  const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  const names = [...known.keys()].join(", ") || "none";
  for (const [name, value] of Object.entries(parameters)) {
    const place = known.get(name)?.in ?? "query";
    if (!known.has(name)) problems.push({ in: place, path: name, problem: `is not a parameter; there are: ${names}` });
    else if (place === "path" && otherPaths.has(value))
      problems.push({ in: place, path: name, problem: "names nothing" });
    else if (isValue(value)) places[place][name] = value;
    else problems.push({ in: place, path: name, problem: "must be a string, a number or a boolean" });
  }
  for (const { name, in: place, required } of known.values())
    if (required && !(name in parameters)) problems.push({ in: place, path: name, problem: "is required" });
  if (body === undefined && operation.needsBody)
    problems.push({ in: "body", path: "", problem: "is required; describe_operation tells its schema" });
  if (body !== undefined && operation.body === undefined)
    problems.push({ in: "body", path: "", problem: "is not taken: everything goes into parameters" });
  if (problems.length > 0)
    throw new WrongCall(`${operation.id} cannot be called like this; nothing was sent`, problems);
  return places;
}

function isValue(value: unknown): value is Value {
  return ["string", "number", "boolean"].includes(typeof value);
}

function pathOf(operation: Operation, path: Record<string, Value>, query: Record<string, Value>): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** What a log says until it is quiet for a moment: one that is followed has no end while its pod runs. */
async function* followed(connection: Connection, path: string): AsyncGenerator<string> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), quietMilliseconds);
  try {
    const signal = AbortSignal.any([silence.signal, AbortSignal.timeout(followedMilliseconds)]);
    for await (const { text } of lines(connection, path, signal)) {
      yield `${text}\n`;
      timer.refresh();
    }
  } catch (error) {
    if (!(error instanceof Error) || !["AbortError", "TimeoutError"].includes(error.name)) throw error;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
