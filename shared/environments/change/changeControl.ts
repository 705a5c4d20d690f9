import { type AskStatus, executionStatus, isLeftAlone, startExecution } from "../../base/aws/states/stateMachines.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { config } from "../../base/settings/config.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { type Change, findChange, findChangeAndPlans, type ServicePlan, setAttempt } from "../store/changes.ts";
import { findWithManifests } from "../store/environmentManifests.ts";
import { type EnvironmentManifest, findEnvironment } from "../store/environments.ts";

/** A newer change took the environment over, or this one is concluded: its steps no longer do anything. */
export class ChangeSuperseded extends Error {
  constructor(changeId: string) {
    super(`change ${changeId} is not the environment's current one any more`);
    this.name = "ChangeSuperseded";
  }
}

export function executionName(change: Pick<Change, "changeId" | "attempt">): string {
  return `${change.changeId}-${change.attempt}`;
}

/** Starts the execution of a stored change; calling it again starts nothing twice. */
export async function startChange(change: Change): Promise<void> {
  await enableReconciler();
  await startExecution(config().SLIPWAY_ENVIRONMENT_CHANGE_ARN, executionName(change), { changeId: change.changeId });
}

/** Makes sure that a running change has a running execution: starts a missing one, repeats an ended one. */
export async function resumeChange(change: Change, ask: AskStatus = executionStatus): Promise<void> {
  const arn = config().SLIPWAY_ENVIRONMENT_CHANGE_ARN;
  const status = await ask(arn, executionName(change));
  if (isLeftAlone(status)) return;
  if (status === undefined) return startChange(change);
  const next = { ...change, attempt: change.attempt + 1 };
  if (await tryWrite(table().write(setAttempt(change, next.attempt)))) await startChange(next);
}

/** The change, as long as it is the environment's current one and not concluded. @throws ChangeSuperseded */
export async function requireCurrentChange(changeId: string): Promise<Item<Change>> {
  const change = await findChange(changeId);
  if (change === undefined || change.status !== "running") throw new ChangeSuperseded(changeId);
  const environment = await findEnvironment(change.projectKey, change.envKey);
  if (environment?.changeId !== changeId) throw new ChangeSuperseded(changeId);
  return change;
}

/** A planned service with what was applied of it before. */
export interface CurrentPlan {
  plan: Item<ServicePlan>;
  manifest: EnvironmentManifest | undefined;
}

/** As `requireCurrentChange`, with the plans of services, in two round trips. @throws ChangeSuperseded */
export async function requireCurrentPlans(
  changeId: string,
  services: readonly string[],
): Promise<{ change: Item<Change>; plans: CurrentPlan[] }> {
  const { change, plans } = await findChangeAndPlans(changeId, services);
  if (change === undefined || change.status !== "running") throw new ChangeSuperseded(changeId);
  const { environment, manifests } = await findWithManifests(change.projectKey, change.envKey, services);
  if (environment?.changeId !== changeId) throw new ChangeSuperseded(changeId);
  return { change, plans: plans.map((plan) => ({ plan, manifest: manifests.get(plan.name) })) };
}
