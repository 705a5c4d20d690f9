import { findUsers } from "../../access/identity/store/users.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import type { ApprovalUser, NativeApproval } from "../definition/definition.ts";
import { neededApprovers, unsatisfiable } from "../definition/nativeApproval.ts";
import type { Approval, Approver } from "../records/rules/approval.ts";
import type { TaskActor } from "../records/task.ts";
import { type Person, peopleMeant } from "../saved/peopleMeant.ts";

/**
 * All people in a list of a definition: users, members of groups, and the starter for `task_creator`; entries of
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

/**
 * An approval before the first decision.
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

/** Why an approval can no longer pass: too few of its approvers exist. Undefined when it can (decisions 19.1). */
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
