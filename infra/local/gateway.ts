import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import type { ApiContext, ApiEvent, ApiResponse } from "../../shared/http/exchange.ts";
import { mostBodyBytes } from "../../shared/http/pipeline/decodeBody.ts";

/** One group as the gateway sees it. */
export interface GatewayGroup {
  prefixes: readonly string[];
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

/** API Gateway on one machine: sends each request, as the event API Gateway would make of it, to its group. */
export async function startGateway(options: {
  port: number;
  host?: string;
  groups: readonly GatewayGroup[];
  drainSeconds?: number;
}): Promise<Gateway> {
  const byPrefix = options.groups
    .flatMap((group) => group.prefixes.map((prefix) => ({ prefix, group })))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const underWay = new Set<AbortController>();
  const server = createServer({ keepAlive: true }, async (request, response) => {
    const left = new AbortController();
    underWay.add(left);
    response.once("close", () => {
      underWay.delete(left);
      left.abort();
    });
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const group = byPrefix.find(
      ({ prefix }) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`),
    )?.group;
    try {
      const event = await toEvent(request);
      send(response, (await group?.handle(event, { signal: left.signal })) ?? nothingAnswers);
    } catch {
      send(response, nothingAnswers);
    }
  });
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
        // Only streams look at it: they would go on for minutes.
        for (const request of underWay) request.abort();
      }),
  };
}

/** The gateway's own failure, like API Gateway's 5xx response: the handlers answer everything else themselves. */
const nothingAnswers: ApiResponse = {
  statusCode: 500,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify({ type: "error", code: 500, message: "Internal Error: ", description: "no answer", extra: {} }),
};

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

async function toEvent(request: IncomingMessage): Promise<ApiEvent> {
  const [path = "/", search = ""] = splitOnce(request.url ?? "/", "?");
  // Without a prototype, so that `constructor` and `__proto__` are names like all others.
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  const body = await readBody(request);
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

/** Keeps one byte more than is allowed, so that the pipeline sees that the body is too large, and drops the rest. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length <= mostBodyBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, mostBodyBytes + 1);
}

function send(response: ServerResponse, answer: ApiResponse): void {
  if (answer.stream !== undefined) {
    response.writeHead(answer.statusCode, { ...answer.headers, connection: "close" });
    response.flushHeaders();
    // Destroys the stream when the client leaves; there is nobody left to be told of it.
    pipeline(answer.stream, response, () => {});
    return;
  }
  response.writeHead(answer.statusCode, { ...answer.headers, "content-length": Buffer.byteLength(answer.body) });
  response.end(answer.body);
}
