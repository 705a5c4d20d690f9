import type { AwaitedWorkload } from "../../../environments/store/readinessWaits.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { refOf } from "../../../kube/client/objectRef.ts";

/** @param service of an environment, which applied the workload; empty where none did */
export function awaitedOf(live: LiveObject, service: string): AwaitedWorkload {
  const { uid, generation } = live.metadata;
  return { service, ...refOf(live), uid, generation, ...(service === "" && { foreign: true }) };
}
