import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError } from "../../shared/base/errors/apiError.ts";
import { log } from "../../shared/base/settings/log.ts";
import type { ApiContext, ApiEvent, ApiResponse } from "../../shared/http/exchange.ts";
import { collapsePath } from "../../shared/http/pathSegments.ts";
import { fitsLambda } from "../../shared/http/stream/answerSize.ts";
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
  /** Takes requests for a WebSocket at a path; all others are refused. */
  sockets?: {
    path: string;
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
    close(): void;
  };
  /** Told of each answer when it is out, or of the first bytes of a stream's. */
  observe?(method: string, path: string, status: number, seconds: number): void;
}

/**
 * API Gateway and Lambda on one machine: sends each request, as the event API Gateway would make of it, to its group,
 * and holds to the same limits: 10 MiB to ask with, 29 seconds, and what Lambda takes as an answer.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const byPrefix = options.groups
    .flatMap((group) => group.prefixes.map((prefix) => ({ prefix, below: prefix === "/" ? "/" : `${prefix}/`, group })))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const underWay = new Set<AbortController>();

  /** Answers one request. Whatever goes wrong on the way is thrown, to the one place that deals with it. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // API Gateway cannot do that: there the group of the root sends the caller on.
    const path = collapsePath((request.url ?? "/").split("?")[0] ?? "/");
    if (options.raw !== undefined && path.startsWith(`${options.raw.path}/`))
      return options.raw.answer(request, response);
    const group = byPrefix.find(({ prefix, below }) => path === prefix || path.startsWith(below))?.group;
    const startedAt = performance.now();
    const observe = ({ statusCode }: ApiResponse): void =>
      options.observe?.(request.method ?? "GET", path, statusCode, (performance.now() - startedAt) / 1000);
    const body = await readBody(request);
    if (body !== undefined && group?.streams === true)
      return follow(group, toEvent(request, body), { request, response, underWay, observe });
    const answer = body === undefined ? bodyTooLarge : await answerOf(group, toEvent(request, body), options);
    if (hasLeft(request)) return;
    sendWhole(response, answer);
    observe(answer);
  }

  const server = createServer({ keepAlive: true }, (request, response) => {
    response.on("close", () => {
      // Once nothing new is taken, a connection kept for the next request would only hold up the end.
      if (!server.listening) request.socket.end();
    });
    serve(request, response).catch((error: unknown) => giveUp(request, response, error));
  });
  server.on("upgrade", (request, socket, head) => {
    const { sockets } = options;
    const path = collapsePath((request.url ?? "/").split("?")[0] ?? "/");
    if (sockets === undefined || path !== sockets.path) return socket.end(noSocket);
    sockets.upgrade(request, socket, head).catch((error: unknown) => {
      log.error("a WebSocket was not opened", { internal: String(error) });
      socket.destroy();
    });
  });
  // Each stream listens to its connection, and a client may ask for many before it reads an answer.
  server.on("connection", (socket) => socket.setMaxListeners(0));
  server.keepAliveTimeout = keepAliveSeconds * 1000;
  // Counted from the end of the request before, where a connection is used again.
  server.headersTimeout = (keepAliveSeconds + 5) * 1000;
  const port = await listen(server, options.port, options.host ?? "127.0.0.1");
  // Of connections that could not be accepted, for want of file descriptors for example.
  server.on("error", (error) => log.error("a connection was not accepted", { internal: error.message }));
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
        options.sockets?.close();
      }),
  };
}

/** The gateway's own failures, in API Gateway's words: the handlers answer everything else themselves. */
const noAnswer = failure(new ApiError(500, gatewaySentences.noAnswer));
const tooLate = failure(new ApiError(500, gatewaySentences.tooLate));
const bodyTooLarge = failure(new ApiError(413, gatewaySentences.bodyTooLarge));

const noSocket = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

function failure({ status, body }: ApiError): ApiResponse {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return { statusCode: status, headers, body: JSON.stringify(body) };
}

/** Deals with all that fails in answering: logs it unless the client has left, and tells the client where that is possible. */
function giveUp(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (!hasLeft(request)) {
    const cause = error instanceof Error ? error : new Error(String(error));
    log.error("the gateway could not answer", { internal: cause.message, stack: cause.stack });
  }
  if (hasLeft(request) || response.headersSent) response.destroy();
  else sendWhole(response, noAnswer);
}

/** The client broke off its request, or closed the connection before its answer was out. */
function hasLeft({ errored, socket }: IncomingMessage): boolean {
  return errored !== null || socket.destroyed;
}

interface Followed {
  request: IncomingMessage;
  response: ServerResponse;
  /** Ends streams when the gateway closes. */
  underWay: Set<AbortController>;
  observe(answer: ApiResponse): void;
}

/**
 * Sends the answer of a group that streams until it ends or the client leaves. Its connection says so: an answer that
 * waits behind another one on the same connection never closes.
 */
async function follow(group: GatewayGroup, event: ApiEvent, { request, response, underWay, observe }: Followed) {
  const { socket } = request;
  const ends = new AbortController();
  let stream: Readable | undefined;
  const leave = (): void => {
    ends.abort();
    stream?.destroy();
  };
  socket.once("close", leave);
  underWay.add(ends);
  try {
    const answer = await group.handle(event, { signal: ends.signal });
    stream = answer.stream;
    if (hasLeft(request)) return;
    if (stream === undefined) sendWhole(response, answer);
    else beginStream(response, answer);
    observe(answer);
    if (stream !== undefined) await pipeline(stream, response);
  } finally {
    socket.off("close", leave);
    underWay.delete(ends);
    leave();
  }
}

async function answerOf(
  group: GatewayGroup | undefined,
  event: ApiEvent,
  { requestSeconds = longestRequestSeconds }: GatewayOptions,
): Promise<ApiResponse> {
  if (group === undefined) return noAnswer;
  const answer = await orAfter(requestSeconds, group.handle(event, {}), tooLate);
  return fitsLambda(answer) ? answer : noAnswer;
}

function orAfter<T>(seconds: number, awaited: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, seconds * 1000, otherwise);
  awaited.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
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
    headers: joinedHeaders(request.headers),
    multiValueQueryStringParameters: query,
    body: body.length === 0 ? null : body.toString("base64"),
    isBase64Encoded: true,
    requestContext: {
      requestId: randomUUID(),
      identity: { sourceIp: request.socket.remoteAddress ?? "" },
    },
  };
}

function joinedHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const joined: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) joined[name] = Array.isArray(value) ? value.join(", ") : value;
  return joined;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
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

function sendWhole(response: ServerResponse, answer: ApiResponse): void {
  // Node sends a text together with the head, and bytes after it.
  const body = answer.isBase64Encoded === true ? Buffer.from(answer.body, "base64") : answer.body;
  response.writeHead(answer.statusCode, { ...answer.headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** The client has its headers before the first line. */
function beginStream(response: ServerResponse, answer: ApiResponse): void {
  response.writeHead(answer.statusCode, { ...answer.headers, connection: "close" });
  response.flushHeaders();
}
