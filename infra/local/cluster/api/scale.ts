import { at, type Dict, dictAt, type KubeObject, type LabelSelector } from "../model/object.ts";
import { printSelector } from "../select/labelSelector.ts";
import type { Api, WriteOptions } from "./api.ts";
import { badRequest, invalid } from "./errors.ts";
import type { Resource } from "./resource.ts";

/** The `scale` view of a workload. */
export function scaleOf(object: KubeObject): Dict {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = Number(at(object, "spec", "replicas") ?? 0);
  const selector = at(object, "spec", "selector") as LabelSelector | undefined;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas > 0 ? { replicas } : {},
    status: { replicas: Number(at(object, "status", "replicas") ?? 0), selector: printSelector(selector) },
  };
}

/** Writes the replicas of a changed `scale` view back to its workload; returns the view as it is then. */
export function writeScale(
  api: Api,
  resource: Resource,
  object: KubeObject,
  scale: unknown,
  options: WriteOptions,
): Dict {
  const replicas = at(scale, "spec", "replicas") ?? 0;
  if (!Number.isInteger(replicas)) throw badRequest("spec.replicas must be an integer");
  if (Number(replicas) < 0) {
    throw invalid({ group: "autoscaling", plural: "scales", kind: "Scale" }, object.metadata.name, [
      {
        reason: "FieldValueInvalid",
        message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
        field: "spec.replicas",
      },
    ]);
  }
  const version = at(scale, "metadata", "resourceVersion");
  const body = {
    ...object,
    metadata: { ...object.metadata, ...(typeof version === "string" && version ? { resourceVersion: version } : {}) },
    spec: { ...dictAt(object, "spec"), replicas },
  };
  const { namespace = "", name } = object.metadata;
  return scaleOf(api.update(resource, namespace, name, body, { ...options, subresource: "scale" }));
}
