import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { log } from "../../base/settings/log.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { describeClusterError } from "../../kube/clusters/describeClusterError.ts";
import { isObjectList, isRecord } from "../../manifest/schema/kubeObject.ts";
import { cachedDiscovery, isCachedDiscovery } from "./cachedDiscovery.ts";
import { refusalOf } from "./rules/refusalOf.ts";

/** What a run of Helm may reach: one namespace of one cluster, and the cluster-scoped kinds of decisions 5.7. */
export interface ProxiedCluster {
  client: Pick<ClusterClient, "forward" | "version">;
  namespace: string;
  clusterKinds: readonly string[];
  /** Roles and bindings of roles in `kube-system` as well (decisions 20.7). */
  systemRoles?: boolean;
  /** Why a chart may not know a Secret of the namespace, naming it; undefined when it may. */
  secretProblem(secret: { name: string; labels: Readonly<Record<string, string>> }): Promise<string | undefined>;
  /** Nothing is written: every write must be a dry run. */
  readOnly?: boolean;
  /** Without it the manifests stay what Helm rendered. */
  render?: Render;
}

/** What becomes of the manifests that Helm rendered, hooks included. */
export type Render = (manifests: string) => Promise<string>;

interface KubeProxy {
  address: string;
  close(): Promise<void>;
}

/** Of one object, and of all manifests of a chart. */
export const maxRequestBytes = 16 * 1024 * 1024;

/**
 * A server on loopback that represents the cluster (decisions 11.1): it knows the credentials, Helm knows an address
 * for as long as it runs. The secret is part of the address, because Kubernetes' own clients send no token without TLS.
 */
export async function startKubeProxy(door: ProxiedCluster): Promise<KubeProxy> {
  const secret = `/${randomBytes(24).toString("base64url")}`;
  const closed = new AbortController();
  const server = createServer((request, response) => {
    answer(door, secret, request, response, closed.signal).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        refuse(response, 502, describeClusterError(error) ?? (error instanceof Error ? error.message : String(error)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`;
  return {
    address,
    close: async () => {
      closed.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  door: ProxiedCluster,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> {
  const path = pathBehind(secret, request.url ?? "/");
  if (path === undefined) return refuse(response, 404, "this door is for one run of Helm");
  const body = await bodyOf(request);
  if (body === undefined) return refuse(response, 413, `an object has more than ${maxRequestBytes} bytes`);
  const method = request.method ?? "GET";
  const refusal = refusalOf({ method, path, ...door });
  if (refusal !== undefined) return refuse(response, 403, refusal);
  if (method !== "GET") log.info("helm writes", { method, path: path.split("?")[0] });
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const ofSecrets = readsSecrets(method, path);
  const headers = { ...passedOn(request), ...(ofSecrets && { accept: "application/json" }) };
  const ask = () =>
    door.client.forward({
      method,
      path,
      headers,
      body: body.length === 0 ? undefined : body,
      signal: AbortSignal.any([closed, gone.signal]),
    });
  const whole = isCachedDiscovery(method, path)
    ? await cachedDiscovery(door.client, `${path} ${headers.accept}`, ask)
    : await ask();
  const answered = ofSecrets ? await ownSecrets(whole, door.secretProblem) : whole;
  if (typeof answered === "string") return refuse(response, 403, answered);
  response.writeHead(answered.status, {
    ...(answered.contentType !== undefined && { "content-type": answered.contentType }),
    ...(answered.retryAfter !== undefined && { "retry-after": answered.retryAfter }),
  });
  response.flushHeaders();
  await pipeline(answered.body, response);
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  return {
    accept: headers.accept ?? "application/json",
    "user-agent": "slipway-helm",
    ...(headers["content-type"] !== undefined && { "content-type": headers["content-type"] }),
  };
}

function pathBehind(secret: string, url: string): string | undefined {
  const given = Buffer.from(url.slice(0, secret.length));
  const wanted = Buffer.from(secret);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  return url.slice(secret.length) || "/";
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxRequestBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function refuse(response: ServerResponse, code: number, message: string): void {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: code === 403 ? "Forbidden" : "",
    message,
    code,
  };
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify(status));
}

type Answered = Awaited<ReturnType<ProxiedCluster["client"]["forward"]>>;

/** Whether a request reads Secrets of a namespace, one or a list; no template can ask for a watch. */
function readsSecrets(method: string, path: string): boolean {
  const [bare = "", query = ""] = path.split("?");
  if (method !== "GET" || new URLSearchParams(query).get("watch") === "true") return false;
  return /^\/api\/v1\/namespaces\/[^/]+\/secrets(?:\/|$)/.test(bare);
}

/**
 * Of the Secrets that the cluster answered as JSON, those that a chart may know: its `lookup` would bring the values of
 * others into what a release shows (decisions 17.5). A list leaves the others out.
 * @returns the answer, or as text why the one Secret is refused
 */
async function ownSecrets(
  answered: Answered,
  secretProblem: ProxiedCluster["secretProblem"],
): Promise<Answered | string> {
  if (answered.status !== 200) return answered;
  const found = await json(answered.body);
  if (!isObjectList(found)) return (await problemOf(found, secretProblem)) ?? withBody(answered, found);
  const items: unknown[] = [];
  for (const item of found.items) if ((await problemOf(item, secretProblem)) === undefined) items.push(item);
  return withBody(answered, { ...found, items });
}

function problemOf(secret: unknown, secretProblem: ProxiedCluster["secretProblem"]): Promise<string | undefined> {
  const metadata = isRecord(secret) && isRecord(secret.metadata) ? secret.metadata : {};
  const labels = isRecord(metadata.labels) ? (metadata.labels as Record<string, string>) : {};
  return secretProblem({ name: String(metadata.name), labels });
}

function withBody(answered: Answered, content: unknown): Answered {
  return { ...answered, body: Readable.from([Buffer.from(JSON.stringify(content))]) };
}
