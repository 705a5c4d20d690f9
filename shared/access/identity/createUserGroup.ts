import { randomUUID } from "node:crypto";
import { badRequest } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { conflictedOn } from "../../base/store/tableClient.ts";
import { addMembers, requireGroup, requireUsers } from "./changeMembers.ts";
import { allUsersGroup } from "./rules/actions.ts";
import { createGroup, type Group, renameGroup } from "./store/groups.ts";

interface Wanted {
  name: string;
  description: string;
}

/** Makes a group with its first members. @throws ApiError 400 for a taken name or a uid that belongs to no user */
export async function createUserGroup(wanted: Wanted, uids: readonly string[]): Promise<Group> {
  refuseReserved(wanted.name);
  await requireUsers(uids);
  const now = nowSeconds();
  const group: Group = { groupId: randomUUID(), ...wanted, userTotal: 0, createdAt: now, updatedAt: now };
  try {
    await createGroup(group);
  } catch (error) {
    throw conflictedOn(error, "group name") ? taken(wanted.name) : error;
  }
  await addMembers(group.groupId, uids);
  return group;
}

/** Gives a group another name or description. @throws ApiError 404, or 400 for a taken name */
export async function changeGroup(
  groupId: string,
  wanted: { name?: string | undefined; description?: string | undefined },
): Promise<void> {
  if (wanted.name !== undefined) refuseReserved(wanted.name);
  await retryOnConflict(async () => {
    const group = await requireGroup(groupId);
    const name = wanted.name ?? group.name;
    try {
      await renameGroup(group, name, wanted.description ?? group.description);
    } catch (error) {
      throw conflictedOn(error, "group name") ? taken(name) : error;
    }
  });
}

function refuseReserved(name: string): void {
  if (name.toLowerCase() === allUsersGroup) throw taken(name);
}

function taken(name: string) {
  return badRequest([{ in: "body", path: "name", problem: `a user group with the name ${name} exists` }]);
}
