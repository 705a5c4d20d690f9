import { ApiError } from "../../errors/apiError.ts";
import { findGroup } from "../../identity/store/groups.ts";
import { findUser } from "../../identity/store/users.ts";
import { usersOfGroup } from "../../identity/store/usersOfGroup.ts";
import type { ApprovalUser, NativeApproval } from "../definition/definition.ts";
import type { Approval, Approver } from "../records/rules/approval.ts";
import type { TaskActor } from "../records/task.ts";

interface Person {
  uid: string;
  name: string;
}

/**
 * Everybody whom a list of a definition means: users, members of groups, and the starter for `task_creator`; entries of
 * any other type are dropped (contract W 8.6).
 * @throws ApiError 6160 naming a user or a group that does not exist
 */
export async function peopleOf(users: readonly ApprovalUser[], creator: TaskActor): Promise<Person[]> {
  const found = await Promise.all(users.map((user) => meant(user, creator)));
  const byUid = new Map(found.flat().map((person) => [person.uid, person]));
  return [...byUid.values()];
}

async function meant(user: ApprovalUser, creator: TaskActor): Promise<Person[]> {
  switch (user.type ?? "") {
    case "":
    case "user": {
      const found = await findUser(user.user_id ?? "");
      if (found === undefined)
        throw new ApiError(6160, `user ${user.user_name || user.user_id || ""} among the approvers does not exist`);
      return [{ uid: found.uid, name: found.name }];
    }
    case "group":
      return membersOf(user);
    case "task_creator":
      return [{ uid: creator.uid, name: creator.name }];
    default:
      return [];
  }
}

async function membersOf({ group_id, group_name }: ApprovalUser): Promise<Person[]> {
  const id = group_id ?? "";
  if ((await findGroup(id)) === undefined)
    throw new ApiError(6160, `user group ${group_name || id} among the approvers does not exist`);
  return (await usersOfGroup(id)).map(({ uid, name }) => ({ uid, name }));
}

/** An approval before anybody decided. */
export async function approversOf(native: NativeApproval | null | undefined, creator: TaskActor): Promise<Approval> {
  const people = await peopleOf(native?.approve_users ?? [], creator);
  const approvers: Approver[] = people.map(({ uid, name }) => ({
    ...{ userId: uid, userName: name, decision: "", comment: "", decidedAt: 0 },
  }));
  return { neededApprovers: native?.needed_approvers ?? native?.NeededApprovers ?? 0, approvers };
}
