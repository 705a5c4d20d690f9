import { isRecord } from "../../manifest/schema/kubeObject.ts";
import type { CallOptions, ClusterClient, LiveObject, ManagedFields } from "../client/ClusterClient.ts";
import { ClusterConflict, ClusterInvalid, ClusterNotFound } from "../client/errors.ts";
import { refOf } from "../client/objectRef.ts";
import { fieldManager } from "./marks.ts";

/** Managers whose fields every forced apply takes over: `kubectl apply` and those that the environment names. */
export type AdoptableManagers = (manager: string) => boolean;

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const clientSideApply = "kubectl-client-side-apply";

export function adoptableManagers(managers: readonly string[] = []): AdoptableManagers {
  return (manager) => manager === clientSideApply || managers.includes(manager);
}

/** Whether an entry is one of those whose fields are taken over: never a subresource's, never ours. */
export function isTaken(entry: ManagedFields, takes: AdoptableManagers): boolean {
  const { manager = "", subresource = "" } = entry;
  return subresource === "" && !isOurs(entry) && takes(manager);
}

function isOurs({ manager, operation, subresource = "" }: ManagedFields): boolean {
  return manager === fieldManager && operation === "Apply" && subresource === "";
}

/** Whether there is something in an object to take over. */
export function holdsAdoptable({ metadata }: LiveObject, takes: AdoptableManagers): boolean {
  return (
    metadata.annotations?.[lastAppliedAnnotation] !== undefined ||
    (metadata.managedFields ?? []).some((entry) => isTaken(entry, takes))
  );
}

const maxTries = 3;

/**
 * Makes fields that others hold ours, as they stand, so that our next apply takes away what it does not name; it is how
 * kubectl itself goes over to server-side apply. The object is changed only in the version that was read.
 * @returns the object afterwards
 */
export async function adoptFields(
  client: ClusterClient,
  live: LiveObject,
  takes: AdoptableManagers,
  call: CallOptions,
): Promise<LiveObject> {
  let object = live;
  for (let tries = 1; holdsAdoptable(object, takes); tries++) {
    try {
      return await client.patch(refOf(object), { type: "json", body: operations(object, takes) }, call);
    } catch (error) {
      if (error instanceof ClusterNotFound) return object;
      // Another version than the one that was read: what has to be taken is looked up again.
      if (!(error instanceof ClusterInvalid || error instanceof ClusterConflict) || tries === maxTries) throw error;
      object = await client.get(refOf(object), call);
    }
  }
  return object;
}

function operations({ metadata }: LiveObject, takes: AdoptableManagers): object[] {
  const entries = metadata.managedFields ?? [];
  const taken = entries.filter((entry) => isTaken(entry, takes));
  const ours = entries.find((entry) => isOurs(entry));
  const rest = entries.filter((entry) => entry !== ours && !taken.includes(entry));
  const fieldsV1 = withoutNote(merged([...(ours ? [ours] : []), ...taken].map((entry) => entry.fieldsV1 ?? {})));
  const owner = ours ?? { ...taken[0], manager: fieldManager, operation: "Apply" };
  const noted = metadata.annotations?.[lastAppliedAnnotation] !== undefined;
  return [
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    ...(taken.length > 0
      ? [{ op: "replace", path: "/metadata/managedFields", value: [...rest, { ...owner, fieldsV1 }] }]
      : []),
    ...(noted ? [{ op: "remove", path: `/metadata/annotations/${lastAppliedAnnotation.replace("/", "~1")}` }] : []),
  ];
}

function merged(sets: readonly Record<string, unknown>[]): Record<string, unknown> {
  const steps = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries(
    [...steps].map((step) => {
      const below = sets.map((set) => set[step]).filter(isRecord);
      return [step, merged(below)];
    }),
  );
}

function withoutNote(fields: Record<string, unknown>): Record<string, unknown> {
  const metadata = fields["f:metadata"];
  const annotations = isRecord(metadata) ? metadata["f:annotations"] : undefined;
  if (!isRecord(metadata) || !isRecord(annotations)) return fields;
  const { [`f:${lastAppliedAnnotation}`]: _note, ...kept } = annotations;
  return { ...fields, "f:metadata": { ...metadata, "f:annotations": kept } };
}
