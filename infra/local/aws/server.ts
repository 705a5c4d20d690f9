import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AwsError } from "./awsError.ts";
import type { AwsRequest, AwsResponse, AwsService } from "./service.ts";

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * One HTTP server for all services. Which one is meant stands in the credential scope of the signature, as in AWS; the
 * signature itself is not checked. Asking for that header, which a web page cannot send here, and for a loopback `Host`
 * keeps pages in the user's browser out; signed addresses are taken for objects alone, see `signedAddressScope`.
 */
export function createAwsServer(services: Record<string, AwsService>, log: (line: string) => void): Server {
  return createServer((incoming, outgoing) => {
    answer(services, incoming, log)
      .then((response) => send(response, outgoing))
      .catch((error: unknown) => {
        log(`answer to ${incoming.method} ${incoming.url} was cut off: ${String(error)}`);
        outgoing.destroy();
      });
  });
}

async function answer(
  services: Record<string, AwsService>,
  incoming: IncomingMessage,
  log: (line: string) => void,
): Promise<AwsResponse> {
  if (!LOOPBACK.test(incoming.headers.host ?? "")) return { status: 403, body: "only loopback names are answered\n" };
  const credential = /Credential=([^,]+)/.exec(incoming.headers.authorization ?? "")?.[1];
  const name = scopeOf(credential ?? "") ?? signedAddressScope(incoming) ?? "";
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (!service) return { status: 403, body: "the request is not signed for a service that lives here\n" };
  try {
    return await service.handle(toRequest(incoming));
  } catch (error) {
    if (error instanceof AwsError) return service.renderError(error);
    log(`${incoming.method} ${incoming.url}: ${error instanceof Error ? error.stack : String(error)}`);
    return service.renderError(new AwsError("InternalError", "the stand-in failed; its log says why", 500));
  }
}

/** The service in a credential `<key>/<date>/<region>/<service>/aws4_request`. */
function scopeOf(credential: string): string | undefined {
  return /^[^/]+\/\d+\/[^/]+\/([^/]+)\/aws4_request$/.exec(credential)?.[1];
}

/**
 * What an address that was signed beforehand is for: reading or writing one object until it expires. A page cannot read
 * what it gets here, and is not let PUT by its browser.
 */
function signedAddressScope({ method, url = "", headers }: IncomingMessage): string | undefined {
  if ((method !== "GET" && method !== "PUT") || headers.origin !== undefined) return undefined;
  const query = new URLSearchParams(url.split("?", 2)[1]);
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get("X-Amz-Date") ?? "") ?? [];
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(Date.now() < signedAt + Number(query.get("X-Amz-Expires")) * 1000) || !query.has("X-Amz-Signature"))
    return undefined;
  const name = scopeOf(query.get("X-Amz-Credential") ?? "");
  return name === "s3" ? name : undefined;
}

function toRequest(incoming: IncomingMessage): AwsRequest {
  const [path = "/", query = ""] = (incoming.url ?? "/").split("?", 2);
  const method = incoming.method ?? "GET";
  return { method, path, query: new URLSearchParams(query), headers: incoming.headers, body: incoming };
}

async function send(response: AwsResponse, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, { "x-amzn-requestid": randomUUID(), ...response.headers });
  if (response.body instanceof Readable) await pipeline(response.body, outgoing);
  else outgoing.end(response.body);
}
