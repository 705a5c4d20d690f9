import type { ApprovalUser, NativeApproval } from "./people.ts";

/** How many must approve; 0 where nothing is said. Both spellings are read (contract W 1.3). */
export function neededApprovers(native: NativeApproval | null | undefined): number {
  return native?.needed_approvers ?? native?.NeededApprovers ?? 0;
}

/** Whether an entry names people at all: an entry of any other type names no approver (contract W 8.6). */
export function namesApprovers({ type }: ApprovalUser): boolean {
  return ["", "user", "group", "task_creator"].includes(type ?? "");
}

/**
 * Why an approval can never pass, with its field; undefined where it can (decisions 19.1).
 * @param able how many people may approve, members of groups included, each once
 */
export function unsatisfiable(
  native: NativeApproval | null | undefined,
  able: number,
): { field: "approve_users" | "needed_approvers"; problem: string } | undefined {
  const needed = neededApprovers(native);
  const field = "needed_approvers";
  if (able === 0) return { field: "approve_users", problem: "name at least one person who can approve" };
  if (needed < 1) return { field, problem: `must be at least 1, and is ${needed}` };
  if (needed > able) return { field, problem: `must be at most ${able}, the number of people who can approve` };
  return undefined;
}
