/** A rule of a Role or ClusterRole, as far as it is about objects. */
export interface RoleRule {
  apiGroups?: readonly string[] | null | undefined;
  resources?: readonly string[] | null | undefined;
  verbs?: readonly string[] | null | undefined;
}

interface Right {
  may: string;
  group: string;
  resources: readonly string[];
  verbs: readonly string[];
  /** Harmless in one namespace: a pod there may use the service accounts too. */
  clusterOnly?: boolean;
}

/**
 * With each of these, a subject that may not change the label of a namespace can come to change it. The subresources of
 * a namespace can write labels as well, and a Role in a namespace covers the namespace itself. Escalating, binding and
 * impersonating are what Kubernetes' own guard against privilege escalation asks for
 * (https://kubernetes.io/docs/concepts/security/rbac-good-practices/#privilege-escalation-risks).
 */
const rights: readonly Right[] = [
  {
    may: "write namespaces",
    group: "",
    resources: ["namespaces", ...["namespaces", "*"].flatMap((all) => [`${all}/status`, `${all}/finalize`])],
    verbs: ["create", "update", "patch", "delete", "deletecollection"],
  },
  {
    may: "give itself rights that it does not have",
    group: "rbac.authorization.k8s.io",
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
  },
  { may: "impersonate others", group: "", resources: ["users", "groups"], verbs: ["impersonate"] },
  {
    may: "impersonate service accounts of every namespace",
    group: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    clusterOnly: true,
  },
];

/**
 * What a rule allows that could lift the pod security of a namespace, such as `write namespaces`; undefined for nothing.
 * `*` counts as Kubernetes counts it: every group, every resource of the groups, every verb. Names of resources make no
 * difference, for they may name the very namespace.
 */
export function liftingRight(rule: RoleRule, reach: "namespace" | "cluster"): string | undefined {
  return rights.find(
    ({ group, resources, verbs, clusterOnly }) =>
      has(rule.apiGroups, [group]) &&
      has(rule.resources, resources) &&
      has(rule.verbs, verbs) &&
      (clusterOnly !== true || reach === "cluster"),
  )?.may;
}

/**
 * Whether a ClusterRole that Kubernetes brings allows any of that to whom it is bound: `cluster-admin`, the roles of its
 * controllers, and in every namespace at once those that may impersonate service accounts.
 */
export function isLiftingRole(name: string, reach: "namespace" | "cluster"): boolean {
  if (name === "cluster-admin" || name.startsWith("system:controller:")) return true;
  return reach === "cluster" && ["admin", "edit", "system:aggregate-to-edit"].includes(name);
}

function has(given: readonly string[] | null | undefined, wanted: readonly string[]): boolean {
  return (given ?? []).some((one) => one === "*" || wanted.includes(one));
}
