import { findUsers } from "../access/identity/store/users.ts";
import { usersOfGroup } from "../access/identity/store/usersOfGroup.ts";
import type { Approver } from "../workflows/records/rules/approval.ts";
import type { PlanApproval } from "./rules/plan.ts";

/** Everybody whom an approval names, each once, groups expanded; who was deleted is not among them. */
export async function approvalPeople(approval: Pick<PlanApproval, "named"> | null): Promise<Approver[]> {
  const named = approval?.named ?? [];
  const uids = named.filter(({ type }) => type === "user").map(({ id }) => id);
  const groups = named.filter(({ type }) => type === "group").map(({ id }) => id);
  const [users, members] = await Promise.all([findUsers(uids), Promise.all(groups.map(usersOfGroup))]);
  const found = new Map([...users, ...members.flat()].map(({ uid, name }) => [uid, name]));
  const inOrder = [...uids, ...members.flat().map(({ uid }) => uid)].filter((uid) => found.has(uid));
  return [...new Set(inOrder)].map((userId) => ({
    ...{ userId, userName: found.get(userId) ?? "", decision: "", comment: "", decidedAt: 0 },
  }));
}
