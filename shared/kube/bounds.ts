import type { KubeObject } from "../manifest/schema/kubeObject.ts";
import { describe, refOf } from "./client/objectRef.ts";
import { podSecurityProblem } from "./podSecurity/podSecurityProblem.ts";
import type { PodSecurityLevel } from "./podSecurity/podViolations.ts";
import { rightsProblem } from "./podSecurity/rightsProblem.ts";

/** What a change may bring into a cluster beside what decisions 5.7 refuses to everybody (decisions 17.3). */
export interface Bounds {
  podSecurity: PodSecurityLevel;
  /** Cluster-scoped kinds that 5.7 allows and the boundary of the project does not. */
  refusedKinds: readonly string[];
  /** Cluster-scoped kinds that the boundary names beside those of 5.7 (decisions 20.7). */
  extraKinds?: readonly string[];
  /** Roles and bindings of roles in `kube-system` may be in its charts. */
  systemRoles?: boolean;
  /** The boundary's own level, which namespaces that are made for the project enforce; undefined where none is enforced. */
  enforced?: PodSecurityLevel;
}

/** Of a system administrator's own call, and of what is compared but not applied. */
export const unbounded: Bounds = { podSecurity: "privileged", refusedKinds: [] };

/** Why an object lies outside of the bounds, as a sentence that names it; undefined when it does not. */
export function boundsProblem(object: KubeObject, { podSecurity, refusedKinds }: Bounds): string | undefined {
  if (refusedKinds.includes(object.kind)) {
    const { kind, name } = refOf(object);
    return `${describe({ kind, name })} belongs to the whole cluster, and the project's boundary does not allow the kind`;
  }
  return podSecurityProblem(object, podSecurity) ?? rightsProblem(object, podSecurity);
}

/** For sentences: who can allow what a boundary refuses, and how. */
export function whoMayAllow(projectKey: string): string {
  return `a system administrator can deploy it, or allow it in the boundary of project ${projectKey} (PUT /openapi/system/projects/${projectKey}/boundary)`;
}
