import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { endingOf, shareAfter } from "../rules/conclusion.ts";
import { afterEvent, statusesAccepting } from "../rules/status.ts";
import { type Change, concludeChange } from "../store/changes.ts";
import { changeEnvironment, type EnvironmentRecord, findEnvironment } from "../store/environments.ts";
import { removeActivities } from "../store/sleepMemory.ts";

/**
 * Ends a change and gives its environment the status that follows; a change that ended before stays as it is. A release
 * plan that it belongs to hears of it.
 */
export async function finishChange(
  change: Change,
  event: "finish" | "fail",
  error: string,
  { unrouted = false }: Pick<EnvironmentRecord, "unrouted"> = {},
): Promise<void> {
  const environment = await findEnvironment(change.projectKey, change.envKey);
  if (environment === undefined || environment.changeId !== change.changeId) return;
  const ending = endingOf(change.kind, event);
  const status = afterEvent(environment.status, ending);
  if (status === undefined) return;
  const current = both(mustBeOneOf("changeId", [change.changeId]), mustBeOneOf("status", statusesAccepting(ending)));
  const woken = change.kind === "wake" && event === "finish";
  const set = { status, error, rollingOut: false, updatedAt: environment.updatedAt, ...(woken && { asleep: false }) };
  const shared = { ...shareAfter(change.kind, event), ...((unrouted || environment.unrouted) && { unrouted }) };
  try {
    await table().write(
      changeEnvironment(environment, { ...set, ...shared }, current),
      ...concludeChange(change, event === "finish" ? "done" : "failed", error),
      ...(woken ? [removeActivities(change)] : []),
    );
  } catch (failure) {
    if (!(failure instanceof ConditionFailed)) throw failure;
  }
  if (change.releasePlan !== undefined) await invokeLater("plan-follower", { planId: change.releasePlan });
}
