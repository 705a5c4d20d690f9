import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

export interface ClusterRequests {
  /** How many requests of each verb were sent. */
  verbs: Readonly<Record<string, number>>;
  /** When the last one was over, on the clock of `performance.now()`. */
  lastEndedAt: number;
}

interface Started {
  stream: object;
  headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Counts every HTTPS request of this thread to `authority` while `work` runs: what really went out, whichever client
 * sent it.
 */
export async function recordClusterRequests<T>(
  authority: string,
  work: () => Promise<T>,
): Promise<{ result: T; requests: ClusterRequests }> {
  const verbs: Record<string, number> = {};
  const ours = new WeakSet<object>();
  let lastEndedAt = 0;
  const note = (method: string, path: string): void => {
    const verb = verbOf(method, path);
    verbs[verb] = (verbs[verb] ?? 0) + 1;
  };
  const started = (message: unknown): void => {
    const { stream, headers } = message as Started;
    if (headers[":authority"] !== authority) return;
    ours.add(stream);
    note(headers[":method"] ?? "", headers[":path"] ?? "");
  };
  // The sandbox speaks HTTP/1.1 alone.
  const begun = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader("host") === authority) note(request.method, request.path);
  };
  const ended = (message: unknown): void => {
    if (ours.has((message as Started).stream)) lastEndedAt = performance.now();
  };
  subscribe("http2.client.stream.start", started);
  subscribe("http2.client.stream.close", ended);
  subscribe("http.client.request.start", begun);
  try {
    const result = await work();
    return { result, requests: { verbs, lastEndedAt } };
  } finally {
    unsubscribe("http2.client.stream.start", started);
    unsubscribe("http2.client.stream.close", ended);
    unsubscribe("http.client.request.start", begun);
  }
}

/** Kubernetes' word for a request: a list ends with the plural of a kind, a get with a name. */
export function verbOf(method: string, address: string): string {
  const { pathname, searchParams } = new URL(address, "https://cluster");
  if (method === "PATCH") return searchParams.has("fieldManager") ? "apply" : "patch";
  if (method !== "GET") return method === "POST" ? "create" : method.toLowerCase();
  if (searchParams.get("watch") === "true") return "watch";
  const [root, ...rest] = pathname.split("/").filter((part) => part !== "");
  if (root !== "api" && root !== "apis") return "discovery";
  const inVersion = rest.slice(root === "api" ? 1 : 2);
  if (inVersion.length === 0) return "discovery";
  const inNamespace = inVersion[0] === "namespaces" && inVersion.length > 2 ? inVersion.slice(2) : inVersion;
  return inNamespace.length === 1 ? "list" : "get";
}
