import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { sameValue } from "../drift/sameValue.ts";

/** The fields of a spec that an API server lets change, where it refuses to change the others without naming them. */
const changeable: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: [
    ...["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"],
    "persistentVolumeClaimRetentionPolicy",
  ],
  PersistentVolumeClaim: ["resources", "volumeAttributesClassName"],
};

const refusals = /updates to statefulset spec for fields other than|spec is immutable after creation/;

/** Whether an API server refused a change without naming the field. */
export function isUnnamedRefusal(message: string): boolean {
  return refusals.test(message);
}

/**
 * An API server's refusal to change a StatefulSet or a claim, with the names of the fields that were changed. Other
 * messages stay as they are.
 * @param before the object as it is in the cluster; undefined when that is not known
 */
export function namingImmutable(message: string, before: KubeObject | undefined, after: KubeObject): string {
  if (!isUnnamedRefusal(message) || before === undefined) return message;
  const changed = immutableChanges(before, after);
  if (changed.length === 0) return message;
  const { kind, metadata } = after;
  const advice =
    kind === "StatefulSet"
      ? `delete it with kubectl delete statefulset ${metadata.name} --cascade=orphan, which leaves its pods and claims, and deploy again`
      : "deploy it under another name";
  return `${kind} "${metadata.name}" is invalid: ${changed.join(", ")} cannot be changed; ${advice}`;
}

function immutableChanges(before: KubeObject, after: KubeObject): string[] {
  const [old, next] = [before.spec, after.spec];
  const allowed = changeable[after.kind];
  if (!isRecord(old) || !isRecord(next) || allowed === undefined) return [];
  return Object.keys(next)
    .filter((name) => !allowed.includes(name) && !sameValue(next[name], old[name], { subset: true }))
    .map((name) => `spec.${name}${change(old[name], next[name])}`);
}

function change(before: unknown, after: unknown): string {
  const shown = [before, after].map((value) => JSON.stringify(value) ?? "nothing");
  return shown.every(({ length }) => length <= 60) ? ` (from ${shown[0]} to ${shown[1]})` : "";
}
