import { ApiError } from "../../errors/apiError.ts";
import { allUsersGroupId } from "../../identity/rules/actions.ts";
import { findGroup } from "../../identity/store/groups.ts";
import { findUser, findUsers } from "../../identity/store/users.ts";
import { usersOfGroup } from "../../identity/store/usersOfGroup.ts";
import type { ApprovalUser, NativeApproval } from "../definition/definition.ts";
import { neededApprovers, unsatisfiable } from "../definition/nativeApproval.ts";
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
  const people = await peopleMeant(user, creator);
  if (typeof people === "string") throw new ApiError(6160, `${people} among the approvers does not exist`);
  return people;
}

/** Whom one entry means; a user or a group that does not exist, in words. @param creator stands for `task_creator` */
export async function peopleMeant(user: ApprovalUser, creator: Person): Promise<Person[] | string> {
  switch (user.type ?? "") {
    case "":
    case "user": {
      const found = await findUser(user.user_id ?? "");
      if (found === undefined) return `user ${user.user_name || user.user_id || ""}`;
      return [{ uid: found.uid, name: found.name }];
    }
    case "group": {
      const { group_id, group_name } = user;
      const id = group_id ?? "";
      const exists = id === allUsersGroupId || (await findGroup(id)) !== undefined;
      if (!exists) return `user group ${group_name || id}`;
      return (await usersOfGroup(id)).map(({ uid, name }) => ({ uid, name }));
    }
    case "task_creator":
      return [{ uid: creator.uid, name: creator.name }];
    default:
      return [];
  }
}

/**
 * An approval before anybody decided.
 * @param what it is, for people: `job ask`
 * @throws ApiError 6160 where it could never pass (decisions 19.1)
 */
export async function approversOf(
  native: NativeApproval | null | undefined,
  creator: TaskActor,
  what: string,
): Promise<Approval> {
  const people = await peopleOf(native?.approve_users ?? [], creator);
  const refused = unsatisfiable(native, people.length);
  if (refused !== undefined) throw new ApiError(6160, `${what}: ${refused.field} ${refused.problem}`);
  const approvers: Approver[] = people.map(({ uid, name }) => ({
    ...{ userId: uid, userName: name, decision: "", comment: "", decidedAt: 0 },
  }));
  return { neededApprovers: neededApprovers(native), approvers };
}

/** Why an approval can never pass any more: too few of its approvers exist. Undefined where it can (decisions 19.1). */
export async function missingApprovers({ neededApprovers, approvers }: Approval): Promise<string | undefined> {
  const needed = Math.max(neededApprovers, 1);
  const standing = new Set((await findUsers(approvers.map(({ userId }) => userId))).map(({ uid }) => uid));
  const gone = approvers.filter(({ userId, decision }) => decision === "" && !standing.has(userId));
  const able = approvers.length - gone.length;
  if (able >= needed) return undefined;
  const names = gone.map(({ userName }) => userName).join(", ");
  const why = gone.length === 0 ? "nobody else is named" : `deleted since: ${names}`;
  return `${needed} must approve, and ${able} can (${why}); change the approvers of the workflow and start it again`;
}
