import * as z from "zod";
import { pathText, readValue } from "../../base/common/readValue.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { describe } from "../client/objectRef.ts";
import { kindKey } from "../objectKey.ts";
import { isLiftingRole, liftingRight } from "./liftingRights.ts";
import type { PodSecurityLevel } from "./podViolations.ts";

const texts = z.array(z.string()).nullish();
const role = z.object({
  rules: z.array(z.object({ apiGroups: texts, resources: texts, verbs: texts })).nullish(),
  aggregationRule: z.unknown().optional(),
});
const binding = z.object({ roleRef: z.object({ kind: z.string(), name: z.string() }) });

type Reach = "namespace" | "cluster";

const roles: Readonly<Record<string, Reach>> = {
  "Role.rbac.authorization.k8s.io": "namespace",
  "ClusterRole.rbac.authorization.k8s.io": "cluster",
};
const bindings: Readonly<Record<string, Reach>> = {
  "RoleBinding.rbac.authorization.k8s.io": "namespace",
  "ClusterRoleBinding.rbac.authorization.k8s.io": "cluster",
};

/**
 * Why a role or a binding of one may not be deployed where pods keep a level below `privileged`, as a sentence: it gives
 * rights with which the label that enforces the level could be taken away. Undefined for everything else. A role or
 * binding with a field of a wrong type is refused as well; the API server takes none either.
 */
export function rightsProblem(object: KubeObject, level: PodSecurityLevel): string | undefined {
  if (level === "privileged") return undefined;
  const [ofRole, ofBinding] = [roles[kindKey(object)], bindings[kindKey(object)]];
  const reason = (ofRole && roleReason(object, ofRole)) ?? (ofBinding && bindingReason(object, ofBinding));
  if (reason === undefined) return undefined;
  const subject = describe({ kind: object.kind, name: object.metadata.name });
  return `${subject} could lift the Pod Security Standard "${level}": ${reason}`;
}

function roleReason(object: KubeObject, reach: Reach): string | undefined {
  const read = readValue(role, object);
  if (read.refused) return unreadable(read.refused);
  const { rules, aggregationRule } = read.data;
  // Users who may write roles decide what such a role contains; Kubernetes asks for all rights before it accepts one.
  if (aggregationRule !== undefined && aggregationRule !== null)
    return "aggregationRule takes in the rules of any other ClusterRole";
  for (const [at, rule] of (rules ?? []).entries()) {
    const right = liftingRight(rule, reach);
    if (right !== undefined) return `rules[${at}] may ${right}`;
  }
  return undefined;
}

function bindingReason(object: KubeObject, reach: Reach): string | undefined {
  const read = readValue(binding, object);
  if (read.refused) return unreadable(read.refused);
  const { kind, name } = read.data.roleRef;
  if (kind !== "ClusterRole" || !isLiftingRole(name, reach)) return undefined;
  return `it binds ${describe({ kind, name })}`;
}

function unreadable(refused: readonly { path: PropertyKey[]; message: string }[]): string {
  return refused.map(({ path, message }) => `${pathText(path)} ${message}`).join(", ");
}
