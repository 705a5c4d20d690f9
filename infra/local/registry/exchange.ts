import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "./limits.ts";
import type { Store } from "./store/openStore.ts";

/** One request and what it takes to answer it. `path` is the raw path without the query. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  store: Store;
  limits: Limits;
};

/** What answers one method of one path; `name` is a valid repository name, `reference` the decoded last segment. */
export type Endpoint = (exchange: Exchange, name: string, reference: string) => Promise<void>;

/** Sends a whole answer; HEAD gets the same headers and no body. */
export function send(
  { request, response }: Pick<Exchange, "request" | "response">,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer = "",
): void {
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { "content-length": Buffer.byteLength(body) }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

export function sendJson(exchange: Exchange, headers: Record<string, string>, body: unknown): void {
  send(exchange, 200, { "content-type": "application/json", ...headers }, JSON.stringify(body));
}

/** The headers of everything that is named by its digest and so never changes. */
export function contentHeaders(digest: string): Record<string, string> {
  return { "docker-content-digest": digest, etag: `"${digest}"` };
}

/** Whether the client already has the content (`If-None-Match`). */
export function isKnownToClient({ request }: Exchange, digest: string): boolean {
  const known = request.headers["if-none-match"];
  return known === "*" || (known?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === `"${digest}"`) ?? false);
}
