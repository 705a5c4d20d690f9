import type { LiveObject } from "./client/ClusterClient.ts";
import { conditionsOf } from "./live/conditions.ts";

/**
 * Why a namespace accepts no objects: it is gone, or it is being deleted, with the cluster's reasons for the delay
 * (finalizers, an API that does not answer); undefined when it exists and is not being deleted.
 */
export function namespaceSentence(name: string, found: LiveObject | undefined): string | undefined {
  if (found === undefined)
    return `namespace "${name}" does not exist in the cluster: it was deleted there; an update of the services makes it again`;
  if (found.metadata.deletionTimestamp === undefined) return undefined;
  const told = conditionsOf(found)
    .filter(({ type, status }) => status === "True" && type.startsWith("Namespace"))
    .map(({ message }) => message);
  const subject = `namespace "${name}" is being deleted`;
  return told.length === 0 ? subject : `${subject} and is blocked: ${told.join("; ")}`;
}
