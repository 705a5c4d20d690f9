import type { KubeObject } from "./kubeObject.ts";

/** Whether an object brings a kind. */
export function isDefinition({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");
}
