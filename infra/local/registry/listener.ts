import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isStorageFull } from "../../../shared/base/errors/storageFull.ts";
import { type Credentials, requireCredentials } from "./basicAuth.ts";
import { send } from "./exchange.ts";
import type { Limits } from "./limits.ts";
import { RegistryError } from "./registryError.ts";
import { dispatch } from "./routes.ts";
import type { Store } from "./store/openStore.ts";

export type ListenerOptions = {
  store: Store;
  limits: Limits;
  credentials?: Credentials;
  log: (line: string) => void;
};

/** The whole registry as a listener of a Node.js HTTP server: check, dispatch, and every failure as an answer. */
export function createListener({ store, limits, credentials, log }: ListenerOptions): RequestListener {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = "", query = ""] = splitOnce(request.url ?? "", "?");
    response.setHeader("docker-distribution-api-version", "registry/2.0");
    refuseBrowsers(request);
    if (credentials) requireCredentials(request.headers.authorization, credentials);
    await dispatch({ request, response, path, query: new URLSearchParams(query), store, limits });
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (isDisconnect(error)) return;
      if (!(error instanceof RegistryError)) log(`${request.method} ${request.url} failed: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else sendError(request, response, error);
    });
  };
}

/** The client went away in the middle of sending or receiving; there is no one to answer. */
function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EPIPE";
}

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = error instanceof RegistryError ? error : unknownFailure(error);
  const headers = { "content-type": "application/json", ...known.headers };
  send({ request, response }, known.status, headers, JSON.stringify(known.body()));
}

/** What the specification has no code for. */
function unknownFailure(error: unknown): RegistryError {
  if (isStorageFull(error))
    return new RegistryError("UNKNOWN", "the disk of the registry is full; make room, then push again", {
      status: 507,
    });
  return new RegistryError("UNKNOWN", "internal error");
}

/** No registry client sends `Origin` but every page that tries to write to loopback from a browser does. */
function refuseBrowsers(request: IncomingMessage): void {
  if (request.headers.origin !== undefined) throw new RegistryError("DENIED", "not for pages in a browser");
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
