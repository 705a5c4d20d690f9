import { ApiError } from "../../../shared/errors/apiError.ts";
import { allUsersGroup, allUsersGroupId } from "../../../shared/identity/rules/actions.ts";
import { type Policy, standingRoles } from "../../../shared/identity/rules/policy.ts";
import { type BoundUser, listUserBindings } from "../../../shared/identity/store/bindings.ts";
import { findBoundUser } from "../../../shared/identity/store/findBoundUser.ts";
import { findGroup } from "../../../shared/identity/store/groups.ts";
import { usersOfGroup } from "../../../shared/identity/store/usersOfGroup.ts";
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
