import { allUsersGroupId, systemNamespace } from "../../../shared/access/identity/rules/actions.ts";
import { makesAdministrator, type StoredPolicy } from "../../../shared/access/identity/store/policies.ts";
import { ApiError, badRequest, notFound, type Problem } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { table } from "../../../shared/base/store/table.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import { findTarget, type Identity, type Target } from "./bindingTargets.ts";
import { bindingWrites } from "./bindingWrites.ts";
import { roleNamed } from "./changeRoles.ts";
import { requirePolicy, roleMissing } from "./readRoles.ts";

/** Every request to a project reads what all groups hold in it. */
const maxGroups = 200;

/**
 * Refuses what no caller may bind or unbind.
 * @throws ApiError 400: for the last administrator, for everybody as administrator, for the readers of a public project
 */
async function requireAllowed(policy: StoredPolicy, target: Target, roleIds: readonly number[]): Promise<void> {
  if (target.kind === "user") requireAdministrator(policy, target.id, roleIds);
  else if (target.id === allUsersGroupId) await requireForEverybody(policy, roleIds);
  const isNewGroup = target.kind === "group" && target.roleIds.length === 0;
  if (isNewGroup && Object.values(policy.groups).filter((ids) => ids.length > 0).length >= maxGroups)
    throw new ApiError(400, `${maxGroups} groups are bound in ${policy.namespace}, which is the limit`);
}

/** One user who is bound to `admin` directly stays: memberships of groups come and go without asking. */
function requireAdministrator(policy: StoredPolicy, uid: string, roleIds: readonly number[]): void {
  const { administrators } = policy;
  if (!administrators?.has(uid) || administrators.size > 1 || makesAdministrator(policy, roleIds)) return;
  throw new ApiError(400, "the last system administrator stays; bind another user to admin first");
}

async function requireForEverybody(policy: StoredPolicy, roleIds: readonly number[]): Promise<void> {
  if (makesAdministrator(policy, roleIds))
    throw new ApiError(400, "the group of all users cannot be bound to admin: it makes nobody an administrator");
  if (policy.namespace === systemNamespace) return;
  const readOnly = Object.entries(policy.roles).find(([, { name }]) => name === "read-only");
  const keepsReading = readOnly !== undefined && roleIds.includes(Number(readOnly[0]));
  if (keepsReading || !(await requireProject(policy.namespace)).isPublic) return;
  throw new ApiError(
    400,
    `project ${policy.namespace} is public, which is what binds all users to read-only; make the project private instead`,
  );
}

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
