interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const rbac = "rbac.authorization.k8s.io";

const role = (lifts: boolean, apiGroup: string, resources: string[], verbs: string[], more: Partial<Rule> = {}) => ({
  lifts,
  rules: [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: [apiGroup], resources, verbs, ...more },
  ],
});

/** Rules of Roles, and whether their holder could lift the pod security of the namespace. */
export const roles: readonly { lifts: boolean; rules: Rule[] }[] = [
  role(false, "", ["*"], ["get", "list", "watch"]),
  role(false, "", ["namespaces"], ["get", "list", "watch"]),
  role(false, "", ["pods", "secrets", "configmaps"], ["*"]),
  role(false, "apps", ["*"], ["*"]),
  role(false, "example.com", ["namespaces"], ["*"]),
  role(false, "", ["*/scale"], ["*"]),
  role(false, "", ["serviceaccounts"], ["*"]),
  role(false, "", ["serviceaccounts"], ["impersonate"]),
  role(false, rbac, ["roles", "rolebindings"], ["create", "update", "patch", "delete"]),
  role(false, rbac, ["rolebindings"], ["*"]),
  ...["create", "update", "patch", "delete", "deletecollection", "*"].map((verb) =>
    role(true, "", ["namespaces"], ["get", verb]),
  ),
  ...["update", "patch", "*"].map((verb) => role(true, "", ["pods", "*"], [verb])),
  ...["namespaces/status", "namespaces/finalize", "*/status", "*/finalize"].map((resource) =>
    role(true, "", [resource], ["update"]),
  ),
  role(true, "*", ["namespaces"], ["patch"]),
  ...["escalate", "bind", "*"].map((verb) => role(true, rbac, ["roles"], [verb])),
  role(true, rbac, ["clusterroles"], ["bind"]),
  role(true, rbac, ["clusterroles"], ["bind"], { resourceNames: ["cluster-admin"] }),
  role(true, rbac, ["*"], ["*"]),
  role(true, "*", ["*"], ["*"]),
];
