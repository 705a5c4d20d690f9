import { allUsersGroup, allUsersGroupId } from "../../../shared/access/identity/rules/actions.ts";
import { type Binding, type Policy, standingRoles } from "../../../shared/access/identity/rules/policy.ts";
import { type BoundUser, listUserBindings, subjectOfUser } from "../../../shared/access/identity/store/bindings.ts";
import { findGroup } from "../../../shared/access/identity/store/groups.ts";
import type { StoredPolicy } from "../../../shared/access/identity/store/policies.ts";
import type { User } from "../../../shared/access/identity/store/users.ts";
import { usersOfGroup } from "../../../shared/access/identity/store/usersOfGroup.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { keys } from "../../../shared/base/store/keys/keys.ts";
import { table } from "../../../shared/base/store/table.ts";
import { rolesOfGroup } from "./bindingTargets.ts";
import { requirePolicy } from "./readRoles.ts";

/** Who holds which roles in a namespace (contract I 7.1): one element an identity. */
export type ShownBinding = { roles: string[] } & (
  | { user: BoundUser }
  | { group: { groupId: string; name: string; users: BoundUser[] } }
);

/**
 * Users by account, then groups by name. One identity asked for is shown without roles, too, and an unknown one not at
 * all. @throws ApiError 404 for an unknown namespace; 400 when both are asked for
 */
export async function listBindings(
  namespace: string,
  of: { uid?: string | undefined; gid?: string | undefined },
): Promise<ShownBinding[]> {
  if (of.uid !== undefined && of.gid !== undefined) throw new ApiError(400, "cannot pass uid and gid together");
  if (of.uid !== undefined) return bindingOfUser(namespace, of.uid);
  if (of.gid !== undefined) return bindingOfGroup(await requirePolicy(namespace, { consistent: false }), of.gid);
  const [policy, users] = await Promise.all([
    requirePolicy(namespace, { consistent: false }),
    listUserBindings(namespace),
  ]);
  const shown = users.map(({ roleIds, ...user }) => ({ user, roles: roleNames(policy, roleIds) }));
  const groups = await Promise.all(Object.keys(policy.groups).map((gid) => bindingOfGroup(policy, gid)));
  const byName = groups.flat().sort((a, b) => nameOf(a).localeCompare(nameOf(b), "en"));
  return [...shown, ...byName].filter(({ roles }) => roles.length > 0);
}

async function bindingOfUser(namespace: string, uid: string): Promise<ShownBinding[]> {
  const { user, policy, roleIds } = await findBoundUser(namespace, uid);
  if (policy === undefined) await requirePolicy(namespace);
  return policy === undefined || user === undefined ? [] : [{ user, roles: roleNames(policy, roleIds) }];
}

async function bindingOfGroup(policy: Parameters<typeof rolesOfGroup>[0], gid: string): Promise<ShownBinding[]> {
  const name = gid === allUsersGroupId ? allUsersGroup : (await findGroup(gid))?.name;
  if (name === undefined) return [];
  const group = { groupId: gid, name, users: await usersOfGroup(gid) };
  return [{ group, roles: roleNames(policy, rolesOfGroup(policy, gid)) }];
}

function roleNames(policy: Policy, roleIds: readonly number[]): string[] {
  return standingRoles(policy, roleIds)
    .map(({ name }) => name)
    .sort();
}

function nameOf(binding: ShownBinding): string {
  return "group" in binding ? binding.group.name : binding.user.account;
}

/** A standing user, what the user is bound to in a namespace, and the namespace's roles: one batch. */
async function findBoundUser(
  namespace: string,
  uid: string,
): Promise<{ user: User | undefined; policy: StoredPolicy | undefined; roleIds: readonly number[] }> {
  const wanted = [keys.user(uid), keys.grant(subjectOfUser(uid), namespace), keys.policy(namespace)];
  const items = await table().getMany<User & Binding & StoredPolicy>(wanted, { consistent: false });
  return {
    user: items.find((item) => item.type === "user" && item.deleting !== true),
    policy: items.find((item) => item.type === "policy"),
    roleIds: items.find((item) => item.type === "grant")?.roleIds ?? [],
  };
}
