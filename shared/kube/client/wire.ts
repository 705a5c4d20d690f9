import type { Readable } from "node:stream";
import { outboundSocket } from "../../outbound/outboundSocket.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import { http1Wire } from "./http1Wire.ts";
import { http2Wire } from "./http2Wire.ts";

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
