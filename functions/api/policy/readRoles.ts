import { systemNamespace } from "../../../shared/access/identity/rules/actions.ts";
import { rulesOf } from "../../../shared/access/identity/rules/definitions.ts";
import { findBinding } from "../../../shared/access/identity/store/bindings.ts";
import { findPolicy, type StoredPolicy } from "../../../shared/access/identity/store/policies.ts";
import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import type { Item } from "../../../shared/base/store/tableClient.ts";

export interface Role {
  id: number;
  name: string;
  namespace: string;
  desc: string;
  type: "custom" | "system";
}

/** @throws ApiError 404 for a namespace that is no project */
export async function requirePolicy(
  namespace: string,
  options: { consistent?: boolean } = {},
): Promise<Item<StoredPolicy>> {
  const policy = await findPolicy(namespace, options);
  if (policy === undefined) throw notFound(namespace === systemNamespace ? "the system" : `project ${namespace}`);
  return policy;
}

/** The roles of a namespace, those made by people first (contract I 6.3); with `uid` those bound to that user directly. */
export async function listRoles(namespace: string, uid: string | undefined): Promise<Role[]> {
  const [policy, binding] = await Promise.all([
    requirePolicy(namespace, { consistent: false }),
    uid === undefined ? undefined : findBinding(uid, namespace, { consistent: false }),
  ]);
  const roles = rolesOf(policy).filter(({ id }) => uid === undefined || binding?.roleIds.includes(id));
  return roles.sort((a, b) => a.type.localeCompare(b.type, "en") || a.id - b.id);
}

/** @throws ApiError 404 */
export async function readRole(namespace: string, name: string) {
  const policy = await requirePolicy(namespace, { consistent: false });
  const role = rolesOf(policy).find((one) => one.name === name);
  if (role === undefined) throw roleMissing(namespace, name);
  return { ...role, rules: rulesOf(namespace, policy.roles[String(role.id)]?.verbs ?? []) };
}

export function roleMissing(namespace: string, name: string): ApiError {
  return new ApiError(404, `role ${name} not found in namespace ${namespace}`);
}

function rolesOf({ namespace, roles }: StoredPolicy): Role[] {
  return Object.entries(roles).map(([id, { name, description, kind }]) => {
    return { id: Number(id), name, namespace, desc: description, type: kind };
  });
}
