import type { WholeTask } from "../records/findTasks.ts";
import { renderLate } from "../records/rules/variables.ts";
import { lateVariables } from "./variables/lateVariables.ts";
import { staticVariables } from "./variables/staticVariables.ts";

/** Renders dynamic recipients of a task's notifications: they may use everything that is known now (contract W 6). */
export function notificationRenderer(whole: WholeTask): (expression: string) => string {
  const { owner, taskId, creator, createTime } = whole.task;
  const variables = new Map([
    ...staticVariables({
      project: { key: owner.projectKey, name: owner.projectKey },
      workflow: owner,
      ...{ taskId, creator, startedAt: createTime },
      definition: whole.plan,
    }),
    ...lateVariables(whole),
  ]);
  return (expression) => renderLate(expression, variables);
}
