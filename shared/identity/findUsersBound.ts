import { listUserBindings } from "./store/bindings.ts";
import { findPolicy } from "./store/policies.ts";

/** uids of the users who are bound directly to one of the named roles of a namespace. */
export async function findUsersBound(namespace: string, roleNames: readonly string[]): Promise<string[]> {
  const [policy, bindings] = await Promise.all([findPolicy(namespace), listUserBindings(namespace)]);
  const ids = Object.entries(policy?.roles ?? {}).flatMap(([id, { name }]) => (roleNames.includes(name) ? [id] : []));
  return bindings.flatMap(({ uid, roleIds }) => (roleIds.some((id) => ids.includes(String(id))) ? [uid] : []));
}
