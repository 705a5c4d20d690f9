import type { CommitState, HostStatus } from "../../rules/codeHosts/provider.ts";
import type { NoticeEvent } from "./firingCtls.ts";

/** A commit at which a code host shows how a task goes, and under which name. */
export interface ReportedCommit {
  codeHostId: string;
  namespace: string;
  name: string;
  sha: string;
  context: string;
}

/** A status as a commit shows it, beside those of others. */
export interface CommitStatus extends ReportedCommit, HostStatus {
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
