import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { callBudget } from "../../outbound/callBudget.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import { ClusterAnswerUnreadable, type ClusterError, ClusterUnreachable } from "./errors.ts";
import { parseRetryAfter, retryDelayMs } from "./retryPolicy.ts";
import { statusError } from "./statusError.ts";
import { transportError } from "./transportError.ts";
import { endOf, unlessAborted } from "./unlessAborted.ts";
import { openWire, type Wire, type WireAnswer, type WireRequest } from "./wire.ts";

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

const longestAnswerBytes = 256 * 1024 * 1024;

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

  async function attemptOnce(request: TransportRequest, signal: AbortSignal): Promise<WireAnswer> {
    const { target, wire } = await unlessAborted(connected(), signal);
    const headers: Record<string, string> = {
      accept: request.accept ?? "application/json",
      "user-agent": "slipway",
      ...(await unlessAborted(target.authorize(), signal)),
      ...(request.body !== undefined && { "content-type": request.contentType ?? "application/json" }),
    };
    const url = new URL(target.server.pathname.replace(/\/$/, "") + request.path, target.server);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    return wire.send({ method: request.method, path: url.pathname + url.search, headers, body: request.body, signal });
  }

  async function withRetries<T>(
    request: TransportRequest,
    read: (answer: WireAnswer) => Promise<T>,
    streaming = false,
  ): Promise<T> {
    const { what, verb, method, path } = request;
    const deadline = AbortSignal.timeout(Math.ceil((request.deadlineSeconds ?? deadlineSeconds) * 1000));
    // A stream has no budget: it is for as long as somebody follows it.
    const limits = [closed.signal, request.signal, streaming ? undefined : callBudget()];
    const callers = AbortSignal.any(limits.filter((limit) => limit !== undefined));
    for (let attempt = 1; ; attempt += 1) {
      const started = performance.now();
      const slow = new AbortController();
      const timer = request.patient === true ? undefined : setTimeout(() => slow.abort(), attemptSeconds * 1000);
      // A stream outlives the deadline of its opening; only the caller ends it.
      const signal = AbortSignal.any(streaming ? [callers, slow.signal] : [callers, deadline, slow.signal]);
      let answer: WireAnswer | undefined;
      let error: ClusterError;
      try {
        answer = await attemptOnce(request, signal);
        if (streaming) clearTimeout(timer);
        if (answer.status >= 200 && answer.status < 300) return await read(answer);
        error = statusError(answer.status, parseJson(await readBody(answer.body)), what);
      } catch (thrown) {
        const isLate = request.patient !== true && (deadline.aborted || slow.signal.aborted);
        error = transportError(thrown, what, endOf(callers) ?? (isLate ? "deadline" : undefined));
      } finally {
        clearTimeout(timer);
        const status = answer?.status ?? 0;
        onRequest?.({ verb, method, path, status, attempt, durationMs: performance.now() - started });
      }
      if (request.idempotent === false && mayHaveArrived(error)) throw error;
      const wait = retryDelayMs(error, attempt, parseRetryAfter(answer?.retryAfter));
      if (wait === undefined || callers.aborted || deadline.aborted) throw error;
      await delay(wait, undefined, { signal: AbortSignal.any([callers, deadline]) }).catch(() => {
        throw error;
      });
    }
  }

  return {
    send: (request) =>
      withRetries(request, async (answer) => {
        const body = parseJson(await readBody(answer.body));
        if (body === undefined)
          throw new ClusterAnswerUnreadable(`${request.what}: the answer is not JSON; check the server address`);
        return { status: answer.status, body };
      }),
    forward: async ({ headers, signal, ...request }) => {
      const ended = AbortSignal.any([closed.signal, signal]);
      const { target, wire } = await unlessAborted(connected(), ended);
      const authorization = await unlessAborted(target.authorize(), ended);
      const path = target.server.pathname.replace(/\/$/, "") + request.path;
      return wire.send({ ...request, path, headers: { ...headers, ...authorization }, signal: ended });
    },
    open: (request) => withRetries(request, async (answer) => answer.body, true),
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

async function readBody(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > longestAnswerBytes) {
      body.destroy();
      throw new ClusterAnswerUnreadable(`the answer is longer than ${longestAnswerBytes} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}
