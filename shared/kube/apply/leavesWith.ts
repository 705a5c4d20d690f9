import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { isApplied } from "../live/readLive.ts";
import { objectKey } from "../objectKey.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";

/** Whether applying `objects` as the whole of these services prunes a live object. */
export function leavesWith(
  { environmentId }: { environmentId: string },
  services: readonly string[],
  objects: readonly KubeObject[],
): (live: LiveObject) => boolean {
  const wanted = new Set(objects.map((object) => objectKey(refOf(object))));
  return (live) => {
    const labels = live.metadata.labels ?? {};
    const ours = labels[environmentLabel] === environmentId && services.includes(labels[serviceLabel] ?? "");
    return ours && isApplied(live) && !wanted.has(objectKey(refOf(live)));
  };
}
