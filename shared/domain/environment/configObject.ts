import type { KubeObject } from "../manifest/kubeObject.ts";
import { ManifestError } from "../manifest/manifestError.ts";
import { parseManifest } from "../manifest/parseManifest.ts";

/** Kinds of configuration objects of an environment, as the API names them (contract P 7). */
export const configTypes = ["ConfigMap", "Secret", "Ingress", "PVC"] as const;

const configKinds = ["ConfigMap", "Secret", "Ingress", "PersistentVolumeClaim"];

/** Reads the one object of a configuration. @throws ManifestError for several objects or another kind */
export function parseConfigObject(text: string): KubeObject {
  const objects = parseManifest(text);
  const [object] = objects;
  if (object === undefined || objects.length > 1)
    throw new ManifestError("object", "a configuration holds exactly one object");
  if (!configKinds.includes(object.kind))
    throw new ManifestError(
      "object",
      `kind ${object.kind} is no configuration; use ConfigMap, Secret, Ingress or PersistentVolumeClaim`,
    );
  return object;
}
