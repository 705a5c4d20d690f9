import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import type { RememberedWorkload } from "../../kube/sleep/memory.ts";
import { findActivities } from "../store/sleepMemory.ts";

/** What the workloads of an environment asked for before they were put to rest; undefined when they were not. */
export async function recall(environment: {
  projectKey: string;
  envKey: string;
}): Promise<RememberedWorkload[] | undefined> {
  const stored = await findActivities(environment);
  return stored === undefined ? undefined : JSON.parse(await readStoredText(stored));
}
