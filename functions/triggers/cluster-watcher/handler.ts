import { randomUUID } from "node:crypto";
import * as z from "zod";
import { wakeWatcher } from "../../../shared/environments/waits/wakeWatcher.ts";
import { watchCluster } from "./watchCluster.ts";

const watcherEvent = z.object({ clusterId: z.string() });

/** Well inside Lambda's 15 minutes; a successor goes on (decisions 6.2). */
const runSeconds = 13 * 60;

/**
 * Watches one cluster while something waits on it, under a lease, so that there is one watcher a cluster. On one machine a
 * signal stops it; Lambda's context has none.
 */
export async function handler(event: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<{ outcome: string }> {
  const { clusterId } = watcherEvent.parse(event);
  const outcome = await watchCluster({ clusterId, holder: randomUUID(), runSeconds, ...(signal && { signal }) });
  if (outcome === "time is up") await wakeWatcher(clusterId);
  return { outcome };
}
