import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allUsersGroupId,
  projectResources,
  systemActions,
} from "../../../../../shared/access/identity/rules/actions.ts";
import { environmentVerbs } from "../../../../../shared/access/identity/rules/collaboration.ts";
import { type Grants, type Holder, joinGrants, noGrants } from "../../../../../shared/access/identity/rules/grants.ts";
import { type Permission, refusal, type Scope } from "../../../../../shared/access/identity/rules/permission.ts";

const verbs = Object.values(projectResources).flat();
const projects = ["shop", "other", "*"];
const groupIds = ["crew", allUsersGroupId];

const permissions = fc.oneof(
  fc.constantFrom<Permission>(
    { kind: "authenticated" },
    { kind: "filtered" },
    { kind: "anyRole" },
    { kind: "systemAdmin" },
    { kind: "self" },
    { kind: "member" },
    { kind: "projectAdmin" },
  ),
  fc.constantFrom(...systemActions).map((verb): Permission => ({ kind: "systemVerb", verb })),
  fc
    .uniqueArray(fc.constantFrom(...verbs), { minLength: 1, maxLength: 3 })
    .map((some): Permission => ({ kind: "verb", verbs: some, collaboration: "environment" })),
);

const roleNames = ["admin", "global-read-only", "project-admin", "read-project-only", "custom"];
const role = fc.record({
  name: fc.constantFrom(...roleNames),
  verbs: fc.subarray([...verbs, ...systemActions], { maxLength: 6 }),
});
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 });
const policies = fc.uniqueArray(
  fc.record({
    namespace: fc.constantFrom(...projects),
    roles: fc.dictionary(fc.constantFrom("1", "2", "3"), role),
    groups: fc.dictionary(fc.constantFrom(...groupIds), ids),
  }),
  { selector: ({ namespace }) => namespace },
);
const modes = fc.array(
  fc.record({
    name: fc.constant("mode"),
    projectKey: fc.constantFrom("shop", "other"),
    userIds: fc.subarray(["ada", "bob", "*"]),
    groupIds: fc.subarray(groupIds),
    environments: fc.array(
      fc.record({
        name: fc.constantFrom("dev", "qa"),
        type: fc.constantFrom("share" as const, "new" as const),
        verbs: fc.subarray([...environmentVerbs]),
      }),
      { maxLength: 2 },
    ),
    copies: fc.constant({ ada: { dev: { name: "dev-copy", triedAt: 0 } } }),
    recycleDay: fc.constantFrom(0, 7),
  }),
  { maxLength: 2 },
);
const holders: fc.Arbitrary<Holder> = fc.record({
  uid: fc.constant("ada"),
  groupIds: fc.subarray(["crew"]),
  bindings: fc.array(fc.record({ namespace: fc.constantFrom(...projects), roleIds: ids }), { maxLength: 3 }),
  policies,
  modes,
});
const scopes: fc.Arbitrary<Scope> = fc.record({
  projectKey: fc.constantFrom(...projects, "nowhere"),
  environment: fc.constantFrom("dev", "qa", "dev-copy"),
  uid: fc.constantFrom("ada", "bob"),
});
const limits = fc.record(
  { readOnly: fc.boolean(), projects: fc.subarray(["shop", "other", "nowhere"]) },
  { requiredKeys: [] },
);

function allowed(permission: Permission, grants: Grants, scope: Scope, mutates: boolean): boolean {
  return refusal({ permission, mutates }, { uid: "ada", grants }, scope) === undefined;
}

describe("the decision", () => {
  test("lets somebody who holds nothing do what needs a token only, and what is about the own record", () => {
    fc.assert(
      fc.property(permissions, scopes, fc.boolean(), (permission, scope, mutates) => {
        const open = ["authenticated", "filtered"].includes(permission.kind);
        const own = permission.kind === "self" && scope.uid === "ada";
        expect(allowed(permission, noGrants, scope, mutates)).toBe(open || own);
      }),
    );
  });

  test("never lets a token do more than its user, a read-only one change anything, one of projects leave them", () => {
    fc.assert(
      fc.property(permissions, holders, scopes, limits, fc.boolean(), (permission, holder, scope, limit, mutates) => {
        const whole = joinGrants(holder);
        const less = joinGrants({ ...holder, limits: limit });
        if (!allowed(permission, less, scope, mutates)) return;
        expect(allowed(permission, whole, scope, mutates)).toBe(true);
        expect(limit.readOnly === true && mutates).toBe(false);
        const open = permission.kind === "authenticated" || permission.kind === "filtered";
        if (limit.projects !== undefined && !open) expect(limit.projects).toContain(scope.projectKey);
      }),
      { numRuns: 1000 },
    );
  });

  test("never gives more for less: without a binding, a group or a mode nothing is allowed that was not before", () => {
    fc.assert(
      fc.property(permissions, holders, scopes, (permission, holder, scope) => {
        const fewer: Holder[] = [
          { ...holder, bindings: holder.bindings.slice(1) },
          { ...holder, groupIds: [] },
          { ...holder, modes: [] },
          { ...holder, policies: holder.policies.slice(1) },
        ];
        if (allowed(permission, joinGrants(holder), scope, false)) return;
        for (const one of fewer) expect(allowed(permission, joinGrants(one), scope, false)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("refuses a kind of permission that it does not know", () => {
    const unknown = JSON.parse('{"kind":"tomorrow"}');
    const admin: Grants = { ...noGrants, systemAdmin: true };
    expect(refusal({ permission: unknown, mutates: false }, { uid: "ada", grants: admin }, {})).toBe(
      "nobody may do this",
    );
  });

  test("lets the group of all users make nobody an administrator", () => {
    const policy = {
      namespace: "*",
      roles: { "1": { name: "admin", verbs: [] }, "2": { name: "auditor", verbs: ["get_log_operation"] } },
      groups: { [allUsersGroupId]: [1, 2] },
    };
    const grants = joinGrants({ uid: "ada", groupIds: [], bindings: [], policies: [policy] });
    expect([grants.systemAdmin, [...grants.systemVerbs]]).toEqual([false, ["get_log_operation"]]);
  });
});
