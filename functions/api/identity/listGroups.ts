import { allUsersGroup, allUsersGroupId } from "../../../shared/access/identity/rules/actions.ts";
import {
  findGroupTotals,
  type GroupSummary,
  listGroups,
  pageOfGroups,
} from "../../../shared/access/identity/store/groups.ts";
import type { StoredPolicy } from "../../../shared/access/identity/store/policies.ts";
import { findUser } from "../../../shared/access/identity/store/users.ts";
import { systemRoleNames } from "./userInfo.ts";

interface GroupSearch {
  /** Part of the name; empty: any. */
  name: string;
  /** Only groups of this user; empty: all. */
  uid: string;
}

export interface ListedGroup extends GroupSummary {
  systemRoleNames: string[];
}

/**
 * A page of the groups that fit: the one changed last first, and `all-users`, which is always there, at the end (contract
 * I 5.4). A search looks at all groups.
 */
export async function listGroupsThatFit(
  { name, uid }: GroupSearch,
  page: number,
  pageSize: number,
): Promise<{ groups: ListedGroup[]; total: number }> {
  const isForAll = name === "" && uid === "";
  const [made, { counters, system }, user] = await Promise.all([
    isForAll ? pageOfGroups(page, pageSize) : listGroups(),
    findGroupTotals(),
    uid === "" ? undefined : findUser(uid),
  ]);
  const last = allUsers(counters.users);
  if (isForAll) {
    const isLastPage = page === Math.ceil((counters.groups + 1) / pageSize);
    return { groups: shown(isLastPage ? [...made, last] : made, system), total: counters.groups + 1 };
  }
  const isIn = ({ groupId }: GroupSummary): boolean =>
    uid === "" || (user !== undefined && (groupId === allUsersGroupId || user.groups?.has(groupId) === true));
  const fitting = [...made, last].filter((group) => group.name.includes(name) && isIn(group));
  return { groups: shown(fitting.slice((page - 1) * pageSize, page * pageSize), system), total: fitting.length };
}

function allUsers(userTotal: number): GroupSummary {
  return { groupId: allUsersGroupId, name: allUsersGroup, description: allUsersDescription, userTotal };
}

export const allUsersDescription = "all users in the system";

function shown(groups: readonly GroupSummary[], system: StoredPolicy | undefined): ListedGroup[] {
  return groups.map((group) => ({ ...group, systemRoleNames: systemRoleNames(system, group.groupId) }));
}
