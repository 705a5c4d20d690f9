import { stopExecution } from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { type Change, findChange, findPlans, isOpen, type ServicePlan } from "../store/changes.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { removeWait, waitsOf } from "../store/readinessWaits.ts";
import { executionName } from "./changeControl.ts";

/** The change under way whose objects are applied and whose wait a new change takes over; undefined when there is none. */
export async function findOpenWait(environment: EnvironmentRecord): Promise<Item<Change> | undefined> {
  if (environment.rollingOut !== true) return undefined;
  const change = await findChange(environment.changeId);
  return change !== undefined && isOpen(change) ? change : undefined;
}

/** Plans of the last change whose services are not ready yet as far as is known: the next change waits for them too. */
export async function findUnreadyPlans(environment: EnvironmentRecord): Promise<ServicePlan[]> {
  const open = (await findOpenWait(environment)) !== undefined;
  const plans = await findPlans(environment.changeId);
  return plans.filter(({ result, ready }) => result === "" && (open ? ready !== true : ready === false));
}

/** Ends what the change that was taken over still has running; harmless when it has finished. */
export async function endOpenWait(change: Change): Promise<void> {
  const arn = config().SLIPWAY_ENVIRONMENT_CHANGE_ARN;
  await stopExecution(arn, executionName(change), "superseded by a newer change of the environment");
  const waits = await waitsOf(change.clusterId);
  await Promise.all(waits.filter(({ changeId }) => changeId === change.changeId).map(removeWait));
}
