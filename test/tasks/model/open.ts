import type { Approval } from "../../../shared/workflows/records/rules/approval.ts";
import { isTaskFinal } from "../../../shared/workflows/records/rules/status.ts";
import type { JobRecord } from "../../../shared/workflows/records/task.ts";
import { stageName } from "./contractModel.ts";
import type { Seen, SeenTask } from "./modelWorld.ts";

/** Something that waits for somebody, by the name that a decision about it has in the model. */
export interface Open {
  of: SeenTask;
  name: string;
  job?: JobRecord;
}

const isUndecided = (approval: Approval | undefined): boolean =>
  approval?.approvers.some(({ decision }) => decision === "") === true;

function ofRunning({ tasks }: Seen, open: (of: SeenTask) => Open[]): Open[] {
  return tasks.filter(({ task }) => !isTaskFinal(task.status)).flatMap(open);
}

export function openApprovals(seen: Seen): Open[] {
  return ofRunning(seen, (of) => [
    ...of.jobs
      .filter(({ status, approval, retryNum }) => isOpen(of, retryNum, status) && isUndecided(approval))
      .map((job) => ({ of, name: job.name, job })),
    ...of.stages
      .filter(({ status, approval, retryNum }) => isOpen(of, retryNum, status) && isUndecided(approval))
      .map(({ stage }) => ({ of, name: stageName(stage) })),
  ]);
}

/** Jobs that failed and wait for somebody who says what that means. */
export function openErrors(seen: Seen): Open[] {
  return ofRunning(seen, (of) =>
    of.jobs
      .filter(
        ({ status, errorDecision, retryNum }) =>
          retryNum === of.task.retryNum && status === "wait_for_manual_error_handling" && errorDecision === undefined,
      )
      .map((job) => ({ of, name: job.name, job })),
  );
}

function isOpen({ task }: SeenTask, retryNum: number, status: string): boolean {
  return retryNum === task.retryNum && status === "wait_for_approval";
}
