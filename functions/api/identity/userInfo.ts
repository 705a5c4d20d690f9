import { systemAdminRole, systemNamespace } from "../../../shared/access/identity/rules/actions.ts";
import { type Binding, rolesOfGroups, standingRoles } from "../../../shared/access/identity/rules/policy.ts";
import { findBindings } from "../../../shared/access/identity/store/bindings.ts";
import { findGroupsAndSystemRoles, type Group } from "../../../shared/access/identity/store/groups.ts";
import type { StoredPolicy, StoredRole } from "../../../shared/access/identity/store/policies.ts";
import { findProfile, findUsers, type User } from "../../../shared/access/identity/store/users.ts";
import { notFound } from "../../../shared/base/errors/apiError.ts";

/** A user with groups and roles of the installation (contract I 11, UserInfo). */
export interface DescribedUser {
  user: User;
  groups: { name: string; roles: string[] }[];
  /** Bound directly. */
  roles: StoredRole[];
  isSystemAdmin: boolean;
}

/** @throws ApiError 404 */
export async function describeUser(uid: string): Promise<DescribedUser> {
  const profile = await findProfile(uid);
  if (profile === undefined) throw notFound(`user ${uid}`);
  const { user, system: binding } = profile;
  const { groups, system } = await findGroupsAndSystemRoles([...(user.groups ?? [])]);
  return describe(user, binding, groups, system);
}

/** The same of many users, in the order given; who is gone is left out. */
export async function describeUsers(uids: readonly string[]): Promise<DescribedUser[]> {
  const [users, bindings] = await Promise.all([findUsers(uids), findBindings(uids, systemNamespace)]);
  const { groups, system } = await findGroupsAndSystemRoles(users.flatMap((user) => [...(user.groups ?? [])]));
  const byUid = new Map(users.map((user) => [user.uid, user]));
  return uids.flatMap((uid) => {
    const user = byUid.get(uid);
    return user === undefined ? [] : describe(user, bindings.get(uid), groups, system);
  });
}

function describe(
  user: User,
  binding: Binding | undefined,
  groups: readonly Group[],
  system: StoredPolicy | undefined,
): DescribedUser {
  const own = groups.filter(({ groupId }) => user.groups?.has(groupId));
  const roles = rolesIn(system, binding?.roleIds ?? []);
  const ofGroups = own.map(({ groupId, name }) => ({ name, roles: systemRoleNames(system, groupId) }));
  const held = [...roles.map(({ name }) => name), ...ofGroups.flatMap((group) => group.roles)];
  return { user, groups: ofGroups, roles, isSystemAdmin: held.includes(systemAdminRole) };
}

/** Names of the installation's roles that a group holds, sorted. */
export function systemRoleNames(system: StoredPolicy | undefined, groupId: string): string[] {
  if (system === undefined) return [];
  return rolesIn(system, rolesOfGroups(system, [groupId]))
    .map(({ name }) => name)
    .sort();
}

function rolesIn(system: StoredPolicy | undefined, roleIds: readonly number[]): StoredRole[] {
  if (system === undefined) return [];
  return standingRoles(system, roleIds).flatMap(({ name }) =>
    Object.values(system.roles).filter((r) => r.name === name),
  );
}
