import type { Slipway } from "../../harness/slipway.ts";
import type { tasksOf } from "../../harness/tasks.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { type LoggedStatus, loggedStatuses } from "./statusLog.ts";

export const project = "bench";

export type Tasks = ReturnType<typeof tasksOf>;

export interface Bench {
  slipway: Slipway;
  tasks: Tasks;
}

/** The statuses of tasks that are started, once all of them have ended. */
export function statusesWhenOver(workflow: string, taskIds: readonly number[]): Promise<LoggedStatus[]> {
  const what = `tasks ${taskIds.join(", ")} of ${workflow} to pass`;
  return waitFor(
    what,
    async () => {
      const statuses = loggedStatuses(workflow);
      const passed = new Set(
        statuses.filter(({ job, to }) => job === "" && to === "passed").map(({ taskId }) => taskId),
      );
      return taskIds.every((taskId) => passed.has(taskId)) && statuses;
    },
    300,
  );
}

/** How many tasks of a workflow may run at once, by an update as its editor sends it. */
export async function setLimit({ slipway }: Bench, workflow: string, concurrency_limit: number): Promise<void> {
  const path = `/api/aslan/workflow/v4/name/${workflow}?projectName=${project}`;
  const { json } = await slipway.call<object>("GET", path);
  const body = { ...json, concurrency_limit };
  const answer = await slipway.call("PUT", `/openapi/workflows/custom/${workflow}`, { body });
  if (answer.status !== 200) throw new Error(answer.text);
}
