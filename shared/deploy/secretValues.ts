import type { KubeObject } from "../domain/manifest/parseManifest.ts";

/** Stands where a value of a Secret was. */
export const maskedValue = "********";

/** Of a Secret, only these say nothing about what it holds. */
const plain = new Set(["apiVersion", "kind", "type", "immutable"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export function isSecret({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === "Secret" && !apiVersion.includes("/");
}

/** Whether what stands at a path of a Secret must not be shown; `path` holds the names from the object's root. */
export function isSecretPath([first = "", second = "", third = ""]: readonly string[]): boolean {
  if (first === "metadata") return second === "annotations" && third === lastApplied;
  return !plain.has(first);
}
