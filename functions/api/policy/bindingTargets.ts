import { allUsersGroupId } from "../../../shared/access/identity/rules/actions.ts";
import type { Binding } from "../../../shared/access/identity/rules/policy.ts";
import { type BoundUser, findBinding } from "../../../shared/access/identity/store/bindings.ts";
import { findGroup } from "../../../shared/access/identity/store/groups.ts";
import type { StoredPolicy } from "../../../shared/access/identity/store/policies.ts";
import { findUser } from "../../../shared/access/identity/store/users.ts";
import type { Item } from "../../../shared/base/store/tableClient.ts";

/** Whom a binding is about, as a request names them. */
export interface Identity {
  kind: "user" | "group";
  id: string;
}

/** The same with what was stored of it: the roles it holds in the namespace, those that exist no more left out. */
export type Target = { id: string; roleIds: readonly number[] } & (
  | { kind: "user"; user: BoundUser; before: Item<Binding> | undefined }
  | { kind: "group" }
);

/** @returns undefined when there is no such user or group */
export async function findTarget({ kind, id }: Identity, policy: StoredPolicy): Promise<Target | undefined> {
  if (kind === "group") {
    const stands = id === allUsersGroupId || (await findGroup(id)) !== undefined;
    return stands ? { kind, id, roleIds: standing(policy, rolesOfGroup(policy, id)) } : undefined;
  }
  const [user, before] = await Promise.all([findUser(id), findBinding(id, policy.namespace)]);
  return user && { kind, id, user, before, roleIds: standing(policy, before?.roleIds ?? []) };
}

/** Role ids of one group in the namespace. */
export function rolesOfGroup({ groups }: StoredPolicy, groupId: string): readonly number[] {
  return Object.hasOwn(groups, groupId) ? (groups[groupId] ?? []) : [];
}

function standing({ roles }: StoredPolicy, roleIds: readonly number[]): number[] {
  return roleIds.filter((id) => Object.hasOwn(roles, String(id)));
}
