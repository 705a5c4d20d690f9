import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../api/errors.ts";

/** Sends JSON text. */
export function sendText(response: ServerResponse, status: number, body: string, type = "application/json"): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-cache, private",
  });
  response.end(body);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

/** Renders any error as a `Status` body; what is not an answer of the API is a 500 and goes to the log. */
export function sendError(response: ServerResponse, error: unknown, log: (line: string) => void): void {
  if (error instanceof ApiError) {
    sendJson(response, error.code, error.body());
    return;
  }
  const text = error instanceof Error ? error.message : String(error);
  log(`internal error: ${error instanceof Error ? (error.stack ?? text) : text}`);
  sendJson(response, 500, new ApiError(500, "InternalError", `Internal error occurred: ${text}`, {}).body());
}

/** Adds a warning that kubectl prints; quotes and line breaks are made safe for the header. */
export function addWarning(response: ServerResponse, text: string): void {
  const safe = text.replace(/[^\x20-\x7e]/g, " ").replace(/(["\\])/g, "\\$1");
  response.appendHeader("warning", `299 - "${safe}"`);
}

const bodyLimitBytes = 3 * 1_024 * 1_024;

/** The request's body. Throws 413 beyond 3 MiB, as the API server does. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyLimitBytes) {
      throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimitBytes}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
