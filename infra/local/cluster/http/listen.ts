import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Api } from "../api/api.ts";
import { ApiError } from "../api/errors.ts";
import { sendError } from "./respond.ts";
import { type ServeLog, serve } from "./serve.ts";

export interface ListenOptions {
  api: Api;
  serveLog: ServeLog;
  token: string;
  key: string;
  certificate: string;
  port: number;
  log: (line: string) => void;
}

/** Serves the API over TLS on loopback. Rejects when the port is taken. */
export async function listen(options: ListenOptions): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ key: options.key, cert: options.certificate }, (request, response) => {
    void handle(options, request, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", () => resolve());
  });
  server.on("error", (error) => options.log(`a connection was not accepted: ${error.message}`));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(options: ListenOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { api, serveLog, log } = options;
  try {
    const url = new URL(request.url ?? "/", "https://sandbox");
    if (!isAuthorized(request.headers.authorization, options.token)) {
      throw new ApiError(401, "Unauthorized", "Unauthorized");
    }
    await serve({ api, request, response, query: url.searchParams, serveLog }, url.pathname);
  } catch (error) {
    sendError(response, error, log);
    // A response that has started is cut off, so that it is not taken for the whole.
    if (!response.writableEnded) response.destroy();
  }
}

function isAuthorized(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return header !== undefined && timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}
