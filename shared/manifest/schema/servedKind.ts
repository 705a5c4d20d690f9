import { at } from "../workloads.ts";
import type { KubeObject } from "./kubeObject.ts";

/** The kind that a definition brings, in a version that is served; undefined when there is none. */
export function servedKind(definition: KubeObject): { apiVersion: string; kind: string } | undefined {
  const [group, kind] = [at(definition, ["spec", "group"]), at(definition, ["spec", "names", "kind"])];
  const versions = at(definition, ["spec", "versions"]);
  const served = Array.isArray(versions) ? versions.find((version) => at(version, ["served"]) === true) : undefined;
  const name = at(served, ["name"]);
  if (typeof group !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined;
  return { apiVersion: `${group}/${name}`, kind };
}
