import { badRequest, notFound, type Problem } from "../../../shared/errors/apiError.ts";
import type { StoredPolicy } from "../../../shared/identity/store/policies.ts";
import { retryOnConflict } from "../../../shared/store/retryOnConflict.ts";
import { table } from "../../../shared/store/table.ts";
import { findTarget, type Identity, type Target } from "./bindingTargets.ts";
import { bindingWrites } from "./bindingWrites.ts";
import { roleNamed } from "./changeRoles.ts";
import { requirePolicy, roleMissing } from "./readRoles.ts";
import { requireAllowed } from "./requireAllowed.ts";

/**
 * Adds a role to each identity, to all or to none; what they hold stays (contract I 7.2).
 * @throws ApiError 404 for an unknown namespace or role, 400 naming every unknown identity
 */
export function addRole(namespace: string, roleName: string, identities: readonly Identity[]): Promise<void> {
  return retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    const id = roleIdOf(policy, roleName);
    const targets = await Promise.all(distinct(identities).map((identity) => findTarget(identity, policy)));
    const problems = distinct(identities).flatMap((identity, at) => (targets[at] ? [] : unknown(identity, identities)));
    if (problems.length > 0) throw badRequest(problems);
    const wanted = targets.flatMap((target) =>
      target ? [{ target, roleIds: [...new Set([...target.roleIds, id])] }] : [],
    );
    await bind(policy, wanted);
  });
}

/**
 * Gives an identity exactly these roles in the namespace (contract I 7.3).
 * @throws ApiError 404 for an unknown namespace, role or identity
 */
export function setRoles(namespace: string, identity: Identity, roleNames: readonly string[]): Promise<void> {
  return retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    const roleIds = [...new Set(roleNames.map((name) => roleIdOf(policy, name)))];
    const target = await findTarget(identity, policy);
    if (target === undefined) throw notFound(`${identity.kind} ${identity.id}`);
    await bind(policy, [{ target, roleIds }]);
  });
}

/** Takes every role in the namespace from an identity; does nothing where there is none (contract I 7.4). */
export function removeRoles(namespace: string, identity: Identity): Promise<void> {
  return retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    const target = await findTarget(identity, policy);
    if (target !== undefined) await bind(policy, [{ target, roleIds: [] }]);
  });
}

/** What identities hold from now on, in one transaction. */
async function bind(
  policy: Parameters<typeof bindingWrites>[0],
  wanted: readonly { target: Target; roleIds: number[] }[],
) {
  const changed = wanted.filter(({ target, roleIds }) => !sameIds(target.roleIds, roleIds));
  if (changed.length === 0) return;
  for (const { target, roleIds } of changed) await requireAllowed(policy, target, roleIds);
  await table().write(...bindingWrites(policy, changed));
}

function roleIdOf(policy: StoredPolicy, name: string): number {
  const found = roleNamed(policy, name);
  if (found === undefined) throw roleMissing(policy.namespace, name);
  return Number(found[0]);
}

function sameIds(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}

function distinct(identities: readonly Identity[]): Identity[] {
  return [...new Map(identities.map((identity) => [`${identity.kind} ${identity.id}`, identity])).values()];
}

function unknown(identity: Identity, all: readonly Identity[]): Problem[] {
  const at = all.findIndex(({ kind, id }) => kind === identity.kind && id === identity.id);
  const field = identity.kind === "user" ? "uid" : "gid";
  return [
    { in: "body", path: `identities[${at}].${field}`, problem: `${identity.kind} ${identity.id} does not exist` },
  ];
}
