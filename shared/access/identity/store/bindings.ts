import { mustHaveVersion, mustNotExist } from "../../../base/store/conditions.ts";
import { type Key, keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";
import type { Binding } from "../rules/policy.ts";
import type { User } from "./users.ts";

/** Who is bound, as the list of bindings shows it. */
export type BoundUser = Pick<User, "uid" | "account" | "name" | "identityType">;

/** What the list of a namespace's bindings shows of a user. */
export interface UserBinding extends BoundUser {
  roleIds: readonly number[];
}

export function subjectOfUser(uid: string): string {
  return `user#${uid}`;
}

export function subjectOfGroup(groupId: string): string {
  return `group#${groupId}`;
}

/** What one user holds in a namespace. */
export function findBinding(
  uid: string,
  namespace: string,
  options: { consistent?: boolean } = {},
): Promise<Item<Binding> | undefined> {
  return table().get<Binding>(keys.grant(subjectOfUser(uid), namespace), options);
}

/** What each of many users holds in a namespace. */
export async function findBindings(uids: readonly string[], namespace: string): Promise<Map<string, Binding>> {
  const subjects = [...new Set(uids)].map(subjectOfUser);
  const bindings = await table().getMany<Binding>(subjects.map((subject) => keys.grant(subject, namespace)));
  return new Map(bindings.map((binding) => [binding.pk.slice(subjectOfUser("").length), binding]));
}

/** The users bound in a namespace by account; what was bound a moment ago may still be missing. */
export async function listUserBindings(namespace: string): Promise<UserBinding[]> {
  const items = await table().query<{ summary: UserBinding }>({ index: "list", pk: lists.bindings(namespace) });
  return items.map(({ summary }) => summary);
}

/** Gives a user exactly these roles; fails when the user's binding changed since `before` was read. */
export function bindUser(user: BoundUser, { namespace, roleIds }: Binding, before: Item<Binding> | undefined): Write {
  const { uid, account, name, identityType } = user;
  const key = keys.grant(subjectOfUser(uid), namespace);
  if (roleIds.length === 0) return remove(key, before === undefined ? mustNotExist : mustHaveVersion(before.version));
  const summary: UserBinding = { uid, account, name, identityType, roleIds };
  return {
    kind: "put",
    item: {
      ...key,
      type: "grant",
      namespace,
      roleIds,
      listPk: lists.bindings(namespace),
      listSk: `${account.toLowerCase()}#${uid}`,
      summary,
      version: (before?.version ?? 0) + 1,
    },
    condition: before === undefined ? mustNotExist : mustHaveVersion(before.version),
  };
}

/** The first binding in a new namespace, whatever one of the same key left there. */
export function bindFirst(user: BoundUser, binding: Binding): Write {
  const bound = bindUser(user, binding, undefined);
  if (bound.kind !== "put") throw new Error("the first binding has a role");
  return { kind: "put", item: bound.item };
}

/** Says in the group's own partition that it is bound somewhere; its roles are in the policy of the namespace. */
export function markGroupBound(groupId: string, namespace: string, isBound: boolean): Write {
  const key = keys.grant(subjectOfGroup(groupId), namespace);
  return isBound ? overwrite({ ...key, type: "group-grant", namespace }) : remove(key);
}

/** Namespaces in which a group is bound. */
export async function namespacesOfGroup(groupId: string): Promise<string[]> {
  const { pk, sk } = keys.grant(subjectOfGroup(groupId), "");
  return (await table().query<{ namespace: string }>({ pk, prefix: sk })).map(({ namespace }) => namespace);
}

/** Everything a user is bound to. */
export function bindingsOfUser(uid: string): Promise<Item<Binding>[]> {
  const { pk, sk } = keys.grant(subjectOfUser(uid), "");
  return table().query<Binding>({ pk, prefix: sk });
}

/** Removes what users hold in a namespace; may be repeated. @param leaving part of each transaction: holds while it goes */
export async function removeBindingsIn(namespace: string, leaving: Write): Promise<void> {
  const bound = await table().query<object>({ index: "list", pk: lists.bindings(namespace) });
  for (let at = 0; at < bound.length; at += 99)
    await table().write(
      leaving,
      ...bound.slice(at, at + 99).map(({ pk, sk }): Write => remove({ pk, sk } satisfies Key)),
    );
}
