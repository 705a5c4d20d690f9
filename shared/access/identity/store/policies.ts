import {
  both,
  type Condition,
  contains,
  either,
  exists,
  larger,
  mustExist,
  not,
} from "../../../base/store/conditions.ts";
import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, remove, replace, update, type Write } from "../../../base/store/writes.ts";
import {
  allUsersGroupId,
  predefinedProjectRoles,
  predefinedSystemRoles,
  systemAdminRole,
  systemNamespace,
} from "../rules/actions.ts";
import type { Policy, PolicyRole } from "../rules/policy.ts";

/** A role as it is stored; `system` ones are made with their namespace and never change. */
export interface StoredRole extends PolicyRole {
  description: string;
  kind: "custom" | "system";
}

/** The policy of a namespace: one item, so that a request reads all of it at once and a change holds for everybody. */
export interface StoredPolicy extends Policy {
  roles: Readonly<Record<string, StoredRole>>;
  /** Of `*` only: uids bound to `admin` directly. One of them stays whatever happens. */
  administrators?: ReadonlySet<string>;
}

const descriptions: Readonly<Record<string, string>> = {
  admin: "every operation in the whole installation",
  "global-read-only": "read everything in every project",
  "project-admin": "every operation in the project",
  "read-only": "read everything in the project",
  "read-project-only": "see the project itself, nothing inside",
};

/** Role ids are unique in the whole installation and increase; those of a creation that fails are lost. */
export async function takeRoleIds(amount: number): Promise<number> {
  const { value } = await table().add(keys.counter("role-ids"), amount);
  return value - amount + 1;
}

export function findPolicy(
  namespace: string,
  options: { consistent?: boolean } = {},
): Promise<Item<StoredPolicy> | undefined> {
  return table().get<StoredPolicy>(keys.policy(namespace), options);
}

/** Replaces roles, group bindings and administrators; fails when any of them changed since they were read. */
export function replacePolicy(before: Item<StoredPolicy>, set: Partial<Omit<StoredPolicy, "namespace">>): Write {
  return replace({ ...before, ...set }, before.version);
}

/** A new project's roles; a public one is readable by everybody (contract I 4.3). */
export async function newProjectPolicy(projectKey: string, isPublic: boolean): Promise<NewPolicy> {
  const roles = await predefined(predefinedProjectRoles);
  const groups = isPublic ? { [allUsersGroupId]: [idOf(roles, "read-only")] } : {};
  return { policy: { namespace: projectKey, roles, groups }, roleId: (name) => idOf(roles, name) };
}

/** The installation's own roles with the first administrator. */
export async function newSystemPolicy(administrator: string): Promise<NewPolicy> {
  const roles = await predefined(predefinedSystemRoles);
  const policy = { namespace: systemNamespace, roles, groups: {}, administrators: new Set([administrator]) };
  return { policy, roleId: (name) => idOf(roles, name) };
}

interface NewPolicy {
  policy: StoredPolicy;
  /** Id of a role by its name. */
  roleId(name: string): number;
}

export function createPolicy(policy: StoredPolicy): Write {
  return create(itemOf(policy));
}

export function removePolicy(namespace: string): Write {
  return remove(keys.policy(namespace));
}

/** Holds in a transaction that all these roles exist in the namespace. */
export function rolesMustStand(namespace: string, roleIds: readonly number[]): Write {
  return { kind: "check", key: keys.policy(namespace), condition: standing(roleIds) };
}

/** A user is no longer an administrator, or never was; fails for the last one. */
export function administratorLeaves(uid: string): Write {
  const others = either(not(contains("administrators", uid)), larger("administrators", 1));
  const changes = { takeFrom: { administrators: new Set([uid]) } };
  return named("administrator", update(keys.policy(systemNamespace), changes, others));
}

/** Whether the ids include the role that makes a system administrator. */
export function makesAdministrator({ namespace, roles }: Policy, roleIds: readonly number[]): boolean {
  return namespace === systemNamespace && roleIds.some((id) => roles[String(id)]?.name === systemAdminRole);
}

function standing(roleIds: readonly number[]): Condition {
  if (roleIds.length === 0) return mustExist;
  return both(...roleIds.map((id) => exists(["roles", String(id)])));
}

async function predefined(verbsByName: Readonly<Record<string, readonly string[]>>) {
  const entries = Object.entries(verbsByName);
  const firstId = await takeRoleIds(entries.length);
  return Object.fromEntries(
    entries.map(([name, verbs], at): [string, StoredRole] => [
      String(firstId + at),
      { name, description: descriptions[name] ?? "", kind: "system", verbs },
    ]),
  );
}

function idOf(roles: StoredPolicy["roles"], name: string): number {
  return Number(Object.entries(roles).find(([, role]) => role.name === name)?.[0]);
}

function itemOf(policy: StoredPolicy): Key & { type: string } & Record<string, unknown> {
  return { ...policy, ...keys.policy(policy.namespace), type: "policy" };
}
