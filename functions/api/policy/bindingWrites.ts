import { allUsersGroupId } from "../../../shared/access/identity/rules/actions.ts";
import { bindUser, markGroupBound } from "../../../shared/access/identity/store/bindings.ts";
import { groupMustStand } from "../../../shared/access/identity/store/groups.ts";
import {
  makesAdministrator,
  replacePolicy,
  rolesMustStand,
  type StoredPolicy,
} from "../../../shared/access/identity/store/policies.ts";
import { userMustStand } from "../../../shared/access/identity/store/users.ts";
import type { Item } from "../../../shared/base/store/tableClient.ts";
import type { Write } from "../../../shared/base/store/writes.ts";
import type { Target } from "./bindingTargets.ts";

/**
 * One transaction for new bindings: every user, group and role still exists, and no other request has changed the same
 * bindings since they were read.
 */
export function bindingWrites(
  policy: Item<StoredPolicy>,
  wanted: readonly { target: Target; roleIds: readonly number[] }[],
): Write[] {
  return [policyWrite(policy, wanted), ...wanted.flatMap(({ target, roleIds }) => ofTarget(policy, target, roleIds))];
}

function ofTarget({ namespace }: StoredPolicy, target: Target, roleIds: readonly number[]): Write[] {
  if (target.kind === "user")
    return [userMustStand(target.id), bindUser(target.user, { namespace, roleIds }, target.before)];
  const mark = markGroupBound(target.id, namespace, roleIds.length > 0);
  return target.id === allUsersGroupId ? [mark] : [groupMustStand(target.id), mark];
}

/** Groups and administrators stand in the policy itself; of other users it only has to know the roles. */
function policyWrite(
  policy: Item<StoredPolicy>,
  wanted: readonly { target: Target; roleIds: readonly number[] }[],
): Write {
  const groups = { ...policy.groups };
  const administrators = new Set(policy.administrators ?? []);
  let changes = false;
  for (const { target, roleIds } of wanted) {
    if (target.kind === "group") {
      groups[target.id] = roleIds;
      changes = true;
    } else if (makesAdministrator(policy, roleIds) !== administrators.has(target.id)) {
      if (!administrators.delete(target.id)) administrators.add(target.id);
      changes = true;
    }
  }
  const roleIds = [...new Set(wanted.flatMap((one) => one.roleIds))];
  if (!changes) return rolesMustStand(policy.namespace, roleIds);
  const bound = Object.fromEntries(Object.entries(groups).filter(([, ids]) => ids.length > 0));
  return replacePolicy(policy, { groups: bound, ...(policy.administrators && { administrators }) });
}
