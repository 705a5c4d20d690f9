import { keys } from "../../store/keys.ts";
import { table } from "../../store/table.ts";
import type { Binding } from "../rules/policy.ts";
import { subjectOfUser } from "./bindings.ts";
import type { StoredPolicy } from "./policies.ts";
import type { User } from "./users.ts";

/** A standing user, what the user is bound to in a namespace, and the namespace's roles: one batch. */
export async function findBoundUser(
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
