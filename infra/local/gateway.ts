import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { ApiError } from "../../shared/errors/apiError.ts";
import { fitsLambda } from "../../shared/http/answerSize.ts";
import type { ApiContext, ApiEvent, ApiResponse } from "../../shared/http/exchange.ts";
import { collapsePath } from "../../shared/http/pathSegments.ts";
import { gatewaySentences } from "../gatewaySentences.ts";

/** One group as the gateway sees it. */
export interface GatewayGroup {
  prefixes: readonly string[];
  /** Its answers go out while they come to be, for as long as they take. */
  streams?: boolean;
  handle(event: ApiEvent, context: ApiContext): Promise<ApiResponse>;
}

export interface Gateway {
  url: string;
  port: number;
  /** Takes no new requests, ends streams, and resolves when the rest is answered, or cut off after `drainSeconds`. */
  close(): Promise<void>;
}

/** As long as API Gateway lets a request take. */
const longestRequestSeconds = 29;
/** As much as API Gateway takes in. */
const maxRequestBytes = 10 * 1024 * 1024;
/** Longer than a client keeps an idle connection (65 s), so that none is closed at the moment it is used again. */
const keepAliveSeconds = 70;

export interface GatewayOptions {
  port: number;
  host?: string;
  groups: readonly GatewayGroup[];
  drainSeconds?: number;
  /** How long a request may take whose answer is no stream. */
  requestSeconds?: number;
  /** Takes requests below a path as they come and answers them itself, whatever their size and for as long as it takes. */
  raw?: { path: string; answer(request: IncomingMessage, response: ServerResponse): Promise<void> };
  /** Told of each answer when it is out, or of the first bytes of a stream's. */
  observe?(method: string, path: string, status: number, seconds: number): void;
}

/**
 * API Gateway and Lambda on one machine: sends each request, as the event API Gateway would make of it, to its group,
 * and holds to the same limits: 10 MiB to ask with, 29 seconds, and what Lambda takes as an answer.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const byPrefix = options.groups
    .flatMap((group) => group.prefixes.map((prefix) => ({ prefix, group })))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const underWay = new Set<AbortController>();
  const server = createServer({ keepAlive: true }, async (request, response) => {
    response.once("close", () => {
      // Once nothing new is taken, a connection kept for the next request would only hold up the end.
      if (!server.listening) request.socket.end();
    });
    // API Gateway cannot do that: there the group of the root sends the caller on.
    const path = collapsePath((request.url ?? "/").split("?")[0] ?? "/");
    if (options.raw !== undefined && path.startsWith(`${options.raw.path}/`))
      return options.raw.answer(request, response).catch(() => response.destroy());
    const group = byPrefix.find(
      ({ prefix }) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`),
    )?.group;
    const startedAt = performance.now();
    const answered = (answer: ApiResponse): void => {
      send(response, answer);
      const seconds = (performance.now() - startedAt) / 1000;
      options.observe?.(request.method ?? "GET", path, answer.statusCode, seconds);
    };
    // Only streams look at it, and an end for each request would cost more than all else here.
    const context = group?.streams === true ? { signal: untilClosed(response, underWay) } : {};
    try {
      const body = await readBody(request);
      answered(body === undefined ? bodyTooLarge : await answerOf(group, toEvent(request, body), context, options));
    } catch {
      answered(noAnswer);
    }
  });
  server.keepAliveTimeout = keepAliveSeconds * 1000;
  // Counted from the end of the request before, where a connection is used again.
  server.headersTimeout = (keepAliveSeconds + 5) * 1000;
  const port = await listen(server, options.port, options.host ?? "127.0.0.1");
  return {
    url: `http://${options.host ?? "127.0.0.1"}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        const limit = (options.drainSeconds ?? longestRequestSeconds) * 1000;
        const timer = setTimeout(() => server.closeAllConnections(), limit);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
        // They would go on for minutes.
        for (const stream of underWay) stream.abort();
      }),
  };
}

/** The gateway's own failures, in API Gateway's words: the handlers answer everything else themselves. */
const noAnswer = failure(new ApiError(500, gatewaySentences.noAnswer));
const tooLate = failure(new ApiError(500, gatewaySentences.tooLate));
const bodyTooLarge = failure(new ApiError(413, gatewaySentences.bodyTooLarge));

function failure({ status, body }: ApiError): ApiResponse {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return { statusCode: status, headers, body: JSON.stringify(body) };
}

async function answerOf(
  group: GatewayGroup | undefined,
  event: ApiEvent,
  context: ApiContext,
  { requestSeconds = longestRequestSeconds }: GatewayOptions,
): Promise<ApiResponse> {
  if (group === undefined) return noAnswer;
  const answered = group.handle(event, context);
  if (group.streams === true) return answered;
  const answer = await orAfter(requestSeconds, answered, tooLate);
  return fitsLambda(answer) ? answer : noAnswer;
}

async function orAfter<T>(seconds: number, awaited: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, seconds * 1000, otherwise);
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function toEvent(request: IncomingMessage, body: Buffer): ApiEvent {
  const [path = "/", search = ""] = splitOnce(request.url ?? "/", "?");
  // Without a prototype, so that `constructor` and `__proto__` are names like all others.
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  return {
    httpMethod: request.method ?? "GET",
    path,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
    multiValueQueryStringParameters: query,
    body: body.length === 0 ? null : body.toString("base64"),
    isBase64Encoded: true,
    requestContext: {
      requestId: randomUUID(),
      identity: { sourceIp: request.socket.remoteAddress ?? "" },
    },
  };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Ends when the answer is out or the client has left, or sooner by whoever ends those under way. */
function untilClosed(response: ServerResponse, underWay: Set<AbortController>): AbortSignal {
  const closed = new AbortController();
  if (response.closed) closed.abort();
  else underWay.add(closed);
  response.once("close", () => {
    underWay.delete(closed);
    closed.abort();
  });
  return closed.signal;
}

const noBody = Buffer.alloc(0);

/** Undefined for a body that is too large, which is read to its end and dropped. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const { headers } = request;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return noBody;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxRequestBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length > maxRequestBytes ? undefined : Buffer.concat(chunks);
}

function send(response: ServerResponse, answer: ApiResponse): void {
  if (answer.stream !== undefined) {
    response.writeHead(answer.statusCode, { ...answer.headers, connection: "close" });
    response.flushHeaders();
    // Destroys the stream when the client leaves; there is nobody left to be told of it.
    pipeline(answer.stream, response, () => {});
    return;
  }
  const body = Buffer.from(answer.body, answer.isBase64Encoded === true ? "base64" : "utf8");
  response.writeHead(answer.statusCode, { ...answer.headers, "content-length": body.length });
  response.end(body);
}
