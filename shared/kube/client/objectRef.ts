import type { KubeObject } from "../../manifest/parseManifest.ts";
import type { ObjectRef } from "./ClusterClient.ts";

/** Where an object is in the cluster. */
export function refOf({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  return { apiVersion, kind, name: metadata.name, namespace: metadata.namespace };
}

/** `Deployment "web" in namespace "shop"`: how messages name an object. */
export function describe({ kind, name, namespace }: Omit<ObjectRef, "apiVersion">): string {
  return `${kind} "${name}"${namespace === undefined ? "" : ` in namespace "${namespace}"`}`;
}
