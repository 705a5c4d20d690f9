import { describe, expect, test } from "vitest";
import { rightsProblem } from "../../../../shared/kube/podSecurity/rightsProblem.ts";
import { roles } from "./roles.ts";

const object = (kind: string, rest: Record<string, unknown>, group = "rbac.authorization.k8s.io") => ({
  ...{ apiVersion: `${group}/v1`, kind, metadata: { name: "ops", namespace: "shop" } },
  ...rest,
});
const roleRef = (name: string, kind = "ClusterRole") => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
});

describe("roles", () => {
  test.each(roles.map((role) => ({ ...role, rule: role.rules.at(-1) })))(
    "$lifts: with $rule.apiGroups.0 $rule.resources $rule.verbs",
    ({ rules, lifts }) => {
      for (const level of ["baseline", "restricted"] as const)
        expect(rightsProblem(object("Role", { rules }), level) !== undefined).toBe(lifts);
      expect(rightsProblem(object("Role", { rules }), "privileged")).toBeUndefined();
    },
  );

  test("for the whole cluster may impersonate no service account either, and take in no rules of others", () => {
    const accounts = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] }];
    expect(rightsProblem(object("Role", { rules: accounts }), "baseline")).toBeUndefined();
    expect(rightsProblem(object("ClusterRole", { rules: accounts }), "baseline")).toBe(
      'ClusterRole "ops" could lift the Pod Security Standard "baseline": rules[0] may impersonate service accounts of every namespace',
    );
    expect(rightsProblem(object("ClusterRole", { aggregationRule: { clusterRoleSelectors: [{}] } }), "baseline")).toBe(
      'ClusterRole "ops" could lift the Pod Security Standard "baseline": aggregationRule takes in the rules of any other ClusterRole',
    );
    expect(rightsProblem(object("ClusterRole", { aggregationRule: null, rules: null }), "baseline")).toBeUndefined();
  });

  test.each(["users", "groups"])("may not impersonate %s", (resource) => {
    const rules = [{ apiGroups: [""], resources: [resource], verbs: ["impersonate"] }];
    expect(rightsProblem(object("ClusterRole", { rules }), "baseline")).toContain("rules[0] may impersonate others");
  });

  test("say which rule gives which right", () => {
    const rules = [
      { nonResourceURLs: ["*"], verbs: ["*"] },
      { apiGroups: ["", "apps"], resources: ["pods", "namespaces"], verbs: ["get", "patch"] },
    ];
    expect(rightsProblem(object("Role", { rules }), "restricted")).toBe(
      'Role "ops" could lift the Pod Security Standard "restricted": rules[1] may write namespaces',
    );
  });
});

describe("bindings", () => {
  test.each(["RoleBinding", "ClusterRoleBinding"])("%s to cluster-admin is refused below privileged", (kind) => {
    const binding = object(kind, roleRef("cluster-admin"));
    expect(rightsProblem(binding, "baseline")).toBe(
      `${kind} "ops" could lift the Pod Security Standard "baseline": it binds ClusterRole "cluster-admin"`,
    );
    expect(rightsProblem(binding, "privileged")).toBeUndefined();
  });

  test("to what ordinary programs need are not refused", () => {
    for (const name of ["admin", "edit", "view", "own"])
      expect(rightsProblem(object("RoleBinding", roleRef(name)), "restricted")).toBeUndefined();
    for (const name of ["view", "system:auth-delegator", "own"])
      expect(rightsProblem(object("ClusterRoleBinding", roleRef(name)), "restricted")).toBeUndefined();
    expect(rightsProblem(object("RoleBinding", roleRef("cluster-admin", "Role")), "restricted")).toBeUndefined();
  });

  test("to roles of Kubernetes' controllers, and to editors of every namespace, are refused", () => {
    const namespaces = "system:controller:namespace-controller";
    expect(rightsProblem(object("RoleBinding", roleRef(namespaces)), "baseline")).toContain(namespaces);
    expect(rightsProblem(object("ClusterRoleBinding", roleRef("edit")), "baseline")).toContain('ClusterRole "edit"');
  });
});

test.each([
  [object("Role", { rules: {} }), "rules must be a list"],
  [object("Role", { rules: [{ verbs: "*" }] }), "rules[0].verbs must be a list"],
  [object("RoleBinding", {}), "roleRef is required"],
  [object("RoleBinding", { roleRef: { kind: "ClusterRole" } }), "roleRef.name is required"],
])("what cannot be read is refused: %j", (broken, reason) => {
  expect(rightsProblem(broken, "baseline")).toMatch(new RegExp(`: ${RegExp.escape(reason)}$`));
});

test("other kinds have no rights, whatever their fields", () => {
  const rules = roles.at(-1)?.rules;
  expect(rightsProblem(object("Role", { rules }, "example.com"), "baseline")).toBeUndefined();
  expect(
    rightsProblem(object("Deployment", { rules, ...roleRef("cluster-admin") }, "apps"), "baseline"),
  ).toBeUndefined();
});
