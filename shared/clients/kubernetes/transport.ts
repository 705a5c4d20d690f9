import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { outboundAgent } from "../outbound/outboundAgent.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import { ClusterAnswerUnreadable, type ClusterError, ClusterUnreachable } from "./errors.ts";
import { parseRetryAfter, retryDelayMs } from "./retryPolicy.ts";
import { statusError } from "./statusError.ts";
import { transportError } from "./transportError.ts";

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
  /** The body of a 2xx answer as it comes; the caller reads or destroys it. */
  open(request: TransportRequest): Promise<IncomingMessage>;
  close(): void;
}

const longestAnswerBytes = 256 * 1024 * 1024;

/** HTTP to one cluster over kept-alive connections to checked addresses, with deadlines and the retry policy. */
export function createTransport(endpoint: () => Promise<ClusterEndpoint>, options: TransportOptions = {}): Transport {
  const { deadlineSeconds = 30, attemptSeconds = 15, onRequest } = options;
  const closed = new AbortController();
  let connected: Promise<Connection> | undefined;
  const connection = () => {
    connected ??= endpoint().then(connectTo);
    // Credentials that could not be made are tried again by the next call.
    connected.catch(() => {
      connected = undefined;
    });
    return connected;
  };

  /** One attempt: resolves with the answer's head, fails when the connection does. */
  async function attemptOnce(request: TransportRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { target, agent } = await connection();
    const headers: Record<string, string> = {
      accept: request.accept ?? "application/json",
      "user-agent": "slipway",
      ...(await target.authorize()),
    };
    if (request.body !== undefined) {
      headers["content-type"] = request.contentType ?? "application/json";
      headers["content-length"] = String(Buffer.byteLength(request.body));
    }
    const url = new URL(target.server.pathname.replace(/\/$/, "") + request.path, target.server);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    return new Promise((resolve, reject) => {
      const send = url.protocol === "http:" ? httpRequest : httpsRequest;
      const sent = send(url, { agent, method: request.method, headers, signal });
      sent.on("error", reject);
      sent.on("response", resolve);
      sent.end(request.body);
    });
  }

  async function withRetries<T>(request: TransportRequest, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout((request.deadlineSeconds ?? deadlineSeconds) * 1000);
    const callers = request.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, request.signal]);
    const streaming = request.verb === "watch";
    for (let attempt = 1; ; attempt += 1) {
      const started = performance.now();
      const perAttempt = new AbortController();
      const timer = setTimeout(() => perAttempt.abort(), attemptSeconds * 1000);
      // A stream outlives the deadline of its opening; only the caller ends it.
      const signals = streaming ? [callers, perAttempt.signal] : [callers, deadline, perAttempt.signal];
      let answer: IncomingMessage | undefined;
      let error: ClusterError;
      try {
        answer = await attemptOnce(request, AbortSignal.any(signals));
        if (streaming) clearTimeout(timer);
        if (isSuccess(answer)) return await read(answer);
        error = statusError(answer.statusCode ?? 0, parseJson(await readBody(answer)), request.what);
      } catch (thrown) {
        const ended = callers.aborted
          ? "signal"
          : deadline.aborted || perAttempt.signal.aborted
            ? "deadline"
            : undefined;
        error = transportError(thrown, request.what, ended);
      } finally {
        clearTimeout(timer);
        const status = answer?.statusCode ?? 0;
        const { verb, method, path } = request;
        onRequest?.({ verb, method, path, status, attempt, durationMs: performance.now() - started });
      }
      const broken = error instanceof ClusterUnreachable && error.code !== "ECONNREFUSED" && error.code !== "ENOTFOUND";
      if (request.idempotent === false && broken) throw error;
      const wait = retryDelayMs(error, attempt, parseRetryAfter(answer?.headers["retry-after"]));
      if (wait === undefined || callers.aborted || deadline.aborted) throw error;
      try {
        await delay(wait, undefined, { signal: AbortSignal.any([callers, deadline]) });
      } catch {
        throw error;
      }
    }
  }

  return {
    send: (request) =>
      withRetries(request, async (answer) => {
        const body = parseJson(await readBody(answer));
        if (body === undefined)
          throw new ClusterAnswerUnreadable(`${request.what}: the answer is no JSON; check the server address`);
        return { status: answer.statusCode ?? 0, body };
      }),
    open: (request) => withRetries(request, async (answer) => answer),
    close: () => {
      closed.abort();
      connected?.then(({ agent }) => agent.destroy()).catch(() => undefined);
    },
  };
}

interface Connection {
  target: ClusterEndpoint;
  agent: ReturnType<typeof outboundAgent>;
}

function connectTo(target: ClusterEndpoint): Connection {
  const scheme = target.server.protocol === "http:" ? "http:" : "https:";
  return { target, agent: outboundAgent(target.rule, scheme, target.tls) };
}

function isSuccess(answer: IncomingMessage): boolean {
  const status = answer.statusCode ?? 0;
  return status >= 200 && status < 300;
}

async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > longestAnswerBytes) {
      answer.destroy();
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
