import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";
import { apiGroup } from "../objectKey.ts";

export type Fields = Record<string, unknown>;

/** The fields of a value, if it is a map. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

const templated = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CloneSet"]);

/**
 * The pod template of a workload, or the pod itself, as the very fields of the object: changing them changes it.
 * Workloads are known by kind and group; a custom kind that happens to be called Job is none.
 */
export function podTemplateOf(object: KubeObject): Fields | undefined {
  const group = apiGroup(object.apiVersion);
  if (object.kind === "Pod" && group === "") return object;
  if (object.kind === "ReplicationController" && group === "") return fieldsOf(at(object, ["spec", "template"]));
  if (!["apps", "batch", "apps.kruise.io"].includes(group)) return undefined;
  if (templated.has(object.kind)) return fieldsOf(at(object, ["spec", "template"]));
  if (object.kind === "CronJob") return fieldsOf(at(object, ["spec", "jobTemplate", "spec", "template"]));
  return undefined;
}
