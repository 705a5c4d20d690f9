import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { outboundAgent } from "../../../base/outbound/outboundAgent.ts";
import { outboundSocket } from "../../../base/outbound/outboundSocket.ts";
import type { ClusterEndpoint } from "../endpoint/ClusterEndpoint.ts";
import { http2Wire } from "./http2Wire.ts";
import { wholeOf } from "./wholeOf.ts";

export interface WireRequest {
  method: string;
  /** Path with query. */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  signal: AbortSignal;
  /** Whether it is sent again when its connection was lost. */
  isRepeated?: boolean;
}

export interface WireAnswer<Body = Readable> {
  status: number;
  retryAfter: string | undefined;
  contentType: string | undefined;
  body: Body;
}

/** Requests over kept connections to one server; what fails, fails with Node's error. */
export interface Wire {
  /** The answer as it comes. */
  send(request: WireRequest): Promise<WireAnswer>;
  /** The whole answer: cheaper than a stream. */
  read(request: WireRequest): Promise<WireAnswer<Buffer>>;
  close(): void;
}

/**
 * Opens the connection: HTTP/2 where the server speaks it, so that any number of requests share one handshake; HTTP/1.1
 * with kept-alive connections otherwise.
 */
export async function openWire(endpoint: ClusterEndpoint, signal: AbortSignal): Promise<Wire> {
  const { server, tls, rule } = endpoint;
  if (server.protocol === "http:") return http1Wire(endpoint);
  const socket = await outboundSocket(rule, server, tls, ["h2", "http/1.1"], signal);
  if (socket.alpnProtocol === "h2") return http2Wire(endpoint, socket);
  socket.destroy();
  return http1Wire(endpoint);
}

/** HTTP/1.1 over as many kept-alive connections as there are requests at once. */
function http1Wire({ server, tls, rule }: ClusterEndpoint): Wire {
  const scheme = server.protocol === "http:" ? "http:" : "https:";
  const agent = outboundAgent(rule, scheme, tls);
  const request = scheme === "http:" ? httpRequest : httpsRequest;

  function sendBy<Body>(
    { method, path, headers, body, signal }: WireRequest,
    read: (answer: IncomingMessage) => Body,
  ): Promise<WireAnswer<Body>> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const sent = request(new URL(path, server), { agent, method, headers: { ...headers, ...length }, signal });
      sent.on("error", reject);
      sent.on("response", (answer) => {
        const { "retry-after": retryAfter, "content-type": contentType } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, retryAfter, contentType, body: read(answer) });
      });
      sent.end(body);
    });
  }

  return {
    send: (request) => sendBy(request, (answer) => answer),
    read: async (request) => {
      const answer = await sendBy(request, wholeOf);
      return { ...answer, body: await answer.body };
    },
    close: () => agent.destroy(),
  };
}
