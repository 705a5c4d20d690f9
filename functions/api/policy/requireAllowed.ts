import { ApiError } from "../../../shared/errors/apiError.ts";
import { allUsersGroupId, systemNamespace } from "../../../shared/identity/rules/actions.ts";
import { makesAdministrator, type StoredPolicy } from "../../../shared/identity/store/policies.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import type { Target } from "./bindingTargets.ts";

/** Every request to a project reads what all groups hold in it. */
const maxGroups = 200;

/**
 * Refuses what no caller may bind or unbind.
 * @throws ApiError 400: for the last administrator, for everybody as administrator, for the readers of a public project
 */
export async function requireAllowed(policy: StoredPolicy, target: Target, roleIds: readonly number[]): Promise<void> {
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
