import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ProxiedCluster } from "./kubeProxy.ts";

type Client = ProxiedCluster["client"];
type Answered = Awaited<ReturnType<Client["forward"]>>;

interface Kept {
  status: number;
  contentType: string | undefined;
  body: Buffer;
  /** Milliseconds of `performance.now()`. */
  at: number;
}

/** What a cluster serves changes seldom, and each run of Helm asks for all of it again: 10 of its 22 requests. */
const keptMilliseconds = 30_000;
/** Ways to ask for it: whole groups, single ones, older forms. */
const maxKept = 200;

const kept = new WeakMap<Client, Map<string, Kept>>();

/** Whether an answer may be kept: the cluster's version, its groups, and the kinds of a group. */
export function isCachedDiscovery(method: string, path: string): boolean {
  return (
    method === "GET" && /^\/(?:version|api|apis|api\/v1|apis\/[^/?]+|apis\/[^/?]+\/[^/?]+)\/?(?:\?.*)?$/.test(path)
  );
}

/** Answers from memory, or asks and keeps what succeeded. @param key the path, and in which form it is wanted */
export async function cachedDiscovery(client: Client, key: string, ask: () => Promise<Answered>): Promise<Answered> {
  const own = kept.get(client) ?? new Map<string, Kept>();
  kept.set(client, own);
  const known = own.get(key);
  if (known !== undefined && known.at > performance.now() - keptMilliseconds) return toAnswer(known);
  const answered = await ask();
  if (answered.status !== 200) return answered;
  const { status, contentType } = answered;
  const fresh = { status, contentType, body: await buffer(answered.body), at: performance.now() };
  if (own.size >= maxKept) own.clear();
  own.set(key, fresh);
  return toAnswer(fresh);
}

/** Forgets what is kept of a cluster. @returns whether some of it was older than `since`, of `performance.now()` */
export function removeCachedDiscovery(client: Client, since = Number.POSITIVE_INFINITY): boolean {
  const own = [...(kept.get(client)?.values() ?? [])];
  kept.delete(client);
  return own.some(({ at }) => at < since);
}

function toAnswer({ status, contentType, body }: Kept): Answered {
  return { status, contentType, retryAfter: undefined, body: Readable.from([body]) };
}
