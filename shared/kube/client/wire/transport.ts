import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { parseExactJson } from "../../../base/common/exactJson.ts";
import { callBudget } from "../../../base/outbound/callBudget.ts";
import type { ClusterEndpoint } from "../endpoint/ClusterEndpoint.ts";
import { ClusterAnswerUnreadable, ClusterBusy, type ClusterError, ClusterUnreachable } from "../errors.ts";
import { isOfSecrets, withoutSecretValues } from "../withoutSecretValues.ts";
import { statusError } from "./statusError.ts";
import { transportError } from "./transportError.ts";
import { endOf, unlessAborted } from "./unlessAborted.ts";
import { wholeOf } from "./wholeOf.ts";
import { openWire, type Wire, type WireAnswer, type WireRequest } from "./wire.ts";

/** Tries in one call, the first included. */
const maxAttempts = 5;

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/**
 * How long to wait before a call is tried again, in milliseconds; undefined when it is not.
 * Only 429, 5xx and broken connections are tried again: backoff that doubles, with full jitter, never less than the
 * server's Retry-After.
 */
function retryDelayMs(
  error: ClusterError,
  attempt: number,
  retryAfterSeconds: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  if (!(error instanceof ClusterBusy || error instanceof ClusterUnreachable)) return undefined;
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.max(random() * ceiling, (retryAfterSeconds ?? 0) * 1000);
}

/** Reads a Retry-After header in seconds or as a date. */
function parseRetryAfter(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,6}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

export interface TransportRequest {
  /** The call in words, for messages. */
  what: string;
  /** Kubernetes' verb, for counting: `apply`, `list`, `watch`… */
  verb: string;
  method: string;
  path: string;
  query?: Record<string, string | undefined>;
  body?: string | undefined;
  contentType?: string;
  accept?: string;
  deadlineSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
  /** False: a connection that broke after sending is not tried again, because the first try may have arrived. */
  idempotent?: boolean;
  /** True: the answer may take as long as the signal allows, deadlines do not count. */
  patient?: boolean;
}

/** One attempt on the wire; what tests and the benchmark count. */
export interface SentRequest {
  verb: string;
  method: string;
  path: string;
  /** HTTP status, or 0 when no answer came. */
  status: number;
  attempt: number;
  durationMs: number;
}

export interface TransportOptions {
  /** Limit on a call with its retries; default 30 seconds. */
  deadlineSeconds?: number;
  /** Limit on one attempt; default 15 seconds. */
  attemptSeconds?: number;
  onRequest?: (sent: SentRequest) => void;
}

export interface Transport {
  /** The JSON body of a 2xx answer; other answers and broken connections fail with a `ClusterError`. */
  send(request: TransportRequest): Promise<{ status: number; body: unknown }>;
  /** One attempt at another program's request: any answer as it comes, until the signal ends it. */
  forward(request: Pick<WireRequest, "method" | "path" | "headers" | "body" | "signal">): Promise<WireAnswer>;
  /** The body of a 2xx answer as it comes, without a deadline; the caller reads or destroys it. */
  open(request: TransportRequest): Promise<Readable>;
  close(): void;
}

/** How a request is sent, and what becomes of its answer. */
interface Exchange<Body, T> {
  send(wire: Wire, request: WireRequest): Promise<WireAnswer<Body>>;
  /** Of an answer that is not 2xx. */
  textOf(body: Body): Buffer | Promise<Buffer>;
  /** Of a 2xx answer. */
  read(answer: WireAnswer<Body>): T;
  streaming?: boolean;
}

/** Requests to one cluster with credentials, deadlines and the retry policy. */
export function createTransport(endpoint: () => Promise<ClusterEndpoint>, options: TransportOptions = {}): Transport {
  const { deadlineSeconds = 30, attemptSeconds = 15, onRequest } = options;
  const closed = new AbortController();
  let connection: Promise<{ target: ClusterEndpoint; wire: Wire }> | undefined;

  function connected() {
    if (connection !== undefined) return connection;
    // Those who wait for the same connection may give up earlier, each by a signal of its own.
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(Math.ceil(attemptSeconds * 1000))]);
    const opening = endpoint().then(async (target) => ({ target, wire: await openWire(target, signal) }));
    connection = opening;
    // A connection that could not be made is tried again by the next attempt.
    opening.catch(() => {
      if (connection === opening) connection = undefined;
    });
    return opening;
  }

  /** The connection with what authorizes a request on it. */
  async function authorized(): Promise<{ wire: Wire; prefix: string; authorization: Record<string, string> }> {
    const { target, wire } = await connected();
    return { wire, prefix: target.server.pathname.replace(/\/$/, ""), authorization: await target.authorize() };
  }

  async function attemptOnce<Body>(
    request: TransportRequest,
    signal: AbortSignal,
    send: Exchange<Body, unknown>["send"],
  ): Promise<WireAnswer<Body>> {
    const { wire, prefix, authorization } = await unlessAborted(authorized(), signal);
    const { method, path, query = {}, body, accept = "application/json", contentType = "application/json" } = request;
    const headers: Record<string, string> = {
      accept,
      "user-agent": "slipway",
      ...authorization,
      ...(body !== undefined && { "content-type": contentType }),
    };
    const set = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const search = set.length === 0 ? "" : `?${new URLSearchParams(set)}`;
    const isRepeated = request.idempotent !== false;
    return send(wire, { method, path: prefix + path + search, headers, body, signal, isRepeated });
  }

  async function withRetries<Body, T>(
    request: TransportRequest,
    { send, textOf, read, streaming = false }: Exchange<Body, T>,
  ): Promise<T> {
    const { what, verb, method, path, patient = false } = request;
    const endsAt = performance.now() + (request.deadlineSeconds ?? deadlineSeconds) * 1000;
    // A stream has no budget: it lasts for as long as the caller follows it.
    const limits = [closed.signal, request.signal, streaming ? undefined : callBudget()];
    const callers = limits.filter((limit) => limit !== undefined);
    const gaveUp = () => callers.find(({ aborted }) => aborted);
    for (let attempt = 1; ; attempt += 1) {
      const started = performance.now();
      // A stream outlives the deadline of its opening; only the caller ends it.
      const longest = streaming ? attemptSeconds * 1000 : Math.min(attemptSeconds * 1000, endsAt - started);
      const clock = new AbortController();
      const timer = patient ? undefined : setTimeout(() => clock.abort(), longest);
      let answer: WireAnswer<Body> | undefined;
      let error: ClusterError;
      try {
        answer = await attemptOnce(request, AbortSignal.any([...callers, clock.signal]), send);
        if (streaming) clearTimeout(timer);
        if (answer.status >= 200 && answer.status < 300) return read(answer);
        error = statusError(answer.status, withoutSecretValues(parseJson(await textOf(answer.body)), request), what);
      } catch (thrown) {
        const ended = gaveUp();
        const late = clock.signal.aborted ? "deadline" : undefined;
        error = transportError(thrown, what, ended === undefined ? late : endOf(ended));
      } finally {
        clearTimeout(timer);
        const status = answer?.status ?? 0;
        onRequest?.({ verb, method, path, status, attempt, durationMs: performance.now() - started });
      }
      if (request.idempotent === false && mayHaveArrived(error)) throw error;
      const wait = retryDelayMs(error, attempt, parseRetryAfter(answer?.retryAfter));
      const left = Math.ceil(endsAt - performance.now());
      if (wait === undefined || left <= 0 || gaveUp() !== undefined) throw error;
      await delay(wait, undefined, { signal: AbortSignal.any([...callers, AbortSignal.timeout(left)]) }).catch(() => {
        throw error;
      });
    }
  }

  return {
    send: (request) =>
      withRetries(request, {
        send: (wire, sent) => wire.read(sent),
        textOf: (body) => body,
        read: (answer) => {
          const body = parseJson(answer.body);
          if (body === undefined)
            throw new ClusterAnswerUnreadable(`${request.what}: the answer is not JSON; check the server address`);
          return { status: answer.status, body };
        },
      }),
    forward: async ({ headers, signal, ...request }) => {
      const ended = AbortSignal.any([closed.signal, signal]);
      const { wire, prefix, authorization } = await unlessAborted(authorized(), ended);
      const path = prefix + request.path;
      const answer = await wire.send({ ...request, path, headers: { ...headers, ...authorization }, signal: ended });
      if (answer.status < 400 || !isOfSecrets(request)) return answer;
      const status = withoutSecretValues(parseJson(await wholeOf(answer.body)), request) ?? {};
      return { ...answer, contentType: "application/json", body: Readable.from([Buffer.from(JSON.stringify(status))]) };
    },
    open: (request) =>
      withRetries(request, {
        send: (wire, sent) => wire.send(sent),
        textOf: (body) => wholeOf(body),
        read: ({ body }) => body,
        streaming: true,
      }),
    close: () => {
      closed.abort();
      connection?.then(({ wire }) => wire.close()).catch(() => undefined);
    },
  };
}

/** Whether a failed attempt may have reached the server: not when no connection came about. */
function mayHaveArrived(error: ClusterError): boolean {
  return error instanceof ClusterUnreachable && !["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(error.code);
}

function parseJson(text: Buffer): unknown {
  try {
    return parseExactJson(text.toString("utf8"));
  } catch {
    return undefined;
  }
}
