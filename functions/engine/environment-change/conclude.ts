import { table } from "../../../shared/base/store/table.ts";
import { ConditionFailed, conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { applyMissingKinds } from "../../../shared/environments/apply/applyPlannedServices.ts";
import { ChangeSuperseded, requireCurrentChange } from "../../../shared/environments/change/changeControl.ts";
import { finishChange } from "../../../shared/environments/change/finishChange.ts";
import { settleRoutes } from "../../../shared/environments/mesh/settleRoutes.ts";
import { concluded } from "../../../shared/environments/rules/conclusion.ts";
import { type Change, findPlans, type ServicePlan } from "../../../shared/environments/store/changes.ts";
import {
  changeMustBeCurrent,
  type EnvironmentService,
  findWholeEnvironment,
} from "../../../shared/environments/store/environments.ts";
import { setNotReady } from "../../../shared/environments/store/statusNotes.ts";

/** Derives the environment's status from what became of its services (contract P 14.3). */
export async function conclude(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  if (change.test !== undefined) return finishChange(change, change.test.event, change.test.error);
  for (const plan of await findPlans(changeId)) if (plan.missingKinds === true) await applyMissingKinds(change, plan);
  const plans = await findPlans(changeId);
  const whole = await findWholeEnvironment(change.projectKey, change.envKey, { consistent: true });
  const services = whole?.services ?? [];
  for (const service of services) await noteReadiness(change, service, plans);
  const { event, error } = concluded(plans, services);
  const unrouted = await routed(change);
  if (unrouted === undefined) return finishChange(change, event, error);
  await finishChange(change, "fail", [error, unrouted].filter((text) => text !== "").join("; "), { unrouted: true });
}

/** @returns why calls are not led as they should be */
async function routed(change: Change): Promise<string | undefined> {
  // Its own step did it, and nothing of the services changed.
  if (change.kind === "share" || change.kind === "unshare") return undefined;
  try {
    return await settleRoutes(change);
  } catch (error) {
    if (error instanceof ConditionFailed) throw new ChangeSuperseded(change.changeId);
    throw error;
  }
}

/** Keeps with the service why it is not ready; for a service that was not waited for nothing new is known. */
async function noteReadiness(
  change: Change,
  service: EnvironmentService,
  plans: readonly ServicePlan[],
): Promise<void> {
  const plan = plans.find(({ name }) => name === service.name);
  if (plan?.ready === undefined) return;
  const notReady = plan.ready ? "" : (plan.notReady ?? "");
  if (notReady === (service.notReady ?? "")) return;
  try {
    await table().write(changeMustBeCurrent(change), setNotReady(change, service.name, notReady));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (conflictedOn(error, "environment")) throw new ChangeSuperseded(change.changeId);
  }
}
