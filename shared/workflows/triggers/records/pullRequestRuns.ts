import { mustBeOneOf, mustNotExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { named, type Write } from "../../../base/store/writes.ts";
import type { HookDelivery } from "./hookDeliveries.ts";

/** The newest run that a trigger started for a pull request. */
export interface PullRequestRun {
  taskId: number;
  /** What brought it: ids of deliveries sort by age. */
  deliveryId: string;
}

type Of = Pick<HookDelivery, "workflowId" | "trigger">;

/** As long as the task itself may run, and much longer. */
const keptSeconds = 90 * 86_400;

export function findPullRequestRun(of: Of, pullRequest: string): Promise<PullRequestRun | undefined> {
  return table().get<PullRequestRun>(keyOf(of, pullRequest), { consistent: true });
}

/** For the transaction that starts a run; loses "pull request" when another one started since `before` was read. */
export function replacePullRequestRun(
  of: Of,
  pullRequest: string,
  before: PullRequestRun | undefined,
  run: PullRequestRun,
): Write {
  const item = { ...keyOf(of, pullRequest), type: "pull-request-run", version: 1, ...run };
  return named("pull request", {
    kind: "put",
    item: { ...item, ttl: nowSeconds() + keptSeconds },
    condition: before === undefined ? mustNotExist : mustBeOneOf("taskId", [before.taskId]),
  });
}

function keyOf({ workflowId, trigger }: Of, pullRequest: string) {
  return keys.pullRequestRun(workflowId, trigger, pullRequest);
}
