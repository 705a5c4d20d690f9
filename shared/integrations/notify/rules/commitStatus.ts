import type { Task } from "../../../workflows/records/task.ts";
import type { NoticeEvent } from "./firingCtls.ts";

/** What a commit is told of a task; code hosts have words of their own for it. */
export const commitStates = ["pending", "success", "failure", "timeout", "cancelled"] as const;
export type CommitState = (typeof commitStates)[number];

/** A status as a commit shows it, beside those of others. */
export interface CommitStatus extends NonNullable<Task["commit"]> {
  state: CommitState;
  /** At most 140 characters, as GitHub takes them. */
  description: string;
  /** Of the task; empty while no address of the console is set. */
  link: string;
}

const words: Readonly<Partial<Record<NoticeEvent, readonly [CommitState, string]>>> = {
  created: ["pending", "has not ended yet"],
  passed: ["success", "passed"],
  failed: ["failure", "failed"],
  timeout: ["timeout", "timed out"],
  cancelled: ["cancelled", "was cancelled"],
  reject: ["failure", "was rejected"],
};

/** @returns undefined for events that change nothing of what a commit is told, such as a pause */
export function commitStateOf(
  event: NoticeEvent,
  taskId: number,
): Pick<CommitStatus, "state" | "description"> | undefined {
  const [state, said] = words[event] ?? [];
  return state === undefined ? undefined : { state, description: `Task ${taskId} ${said}` };
}
