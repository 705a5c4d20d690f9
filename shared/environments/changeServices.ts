import { statusesAccepting, updateRefusal } from "../domain/environment/status.ts";
import { ApiError } from "../domain/errors/apiError.ts";
import { type EnvironmentGlobal, relateService } from "../domain/variables/environmentVariables.ts";
import { enableReconciler } from "../reconciling/enableReconciler.ts";
import { type Change, createChange, storePlans } from "../store/changes.ts";
import { findCluster } from "../store/clusters.ts";
import { changeEnvironment, type EnvironmentRecord, type WholeEnvironment } from "../store/environments.ts";
import { projectMustStand } from "../store/projects.ts";
import { ConditionFailed } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { both, mustBeOneOf } from "../store/writes.ts";
import { startChange } from "./changeControl.ts";
import { checkOnCluster } from "./checkOnCluster.ts";
import type { Actor } from "./createEnvironment.ts";
import { EnvironmentProblem, failingWith } from "./failures.ts";
import { groupsOf } from "./limits.ts";
import { newChange } from "./newChange.ts";
import { placePlannedServices } from "./placePlannedServices.ts";
import {
  type PlanTarget,
  planServices,
  type RenderedPlan,
  type ServiceRequest,
  storePlanTexts,
  UnknownService,
} from "./planServices.ts";
import { type EnvironmentName, requireEnvironment } from "./requireEnvironment.ts";

/**
 * Adds services to an environment at their newest revision (contract P 5.3).
 * @throws ApiError 404 unknown environment; 6092 unknown service; 6076 wrong state, service present, conflict
 */
export function addServices(name: EnvironmentName, requests: readonly ServiceRequest[], actor: Actor): Promise<void> {
  return changeServices("add", name, requests, actor);
}

/**
 * Moves services of an environment to their newest revision (contract P 5.4).
 * @throws ApiError 404 unknown environment or a service that is not in it; 6092 deleted definition; 6076 wrong state
 */
export function updateServices(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  actor: Actor,
): Promise<void> {
  return changeServices("update", name, requests, actor);
}

async function changeServices(
  kind: "add" | "update",
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  actor: Actor,
): Promise<void> {
  const whole = await requireEnvironment(name);
  if (requests.length === 0) return;
  await failingWith(6076, async () => {
    await beginServicesChange(kind, whole, await planServicesChange(kind, whole, requests), actor);
  });
}

/**
 * Checks what was planned against the cluster and sets the change going; `whole.environment` holds the global variables
 * that will be stored with it.
 * @throws EnvironmentProblem in a wrong state, for a conflict, and when another change was faster
 */
export async function beginServicesChange(
  kind: "add" | "update",
  whole: WholeEnvironment,
  plans: readonly RenderedPlan[],
  actor: Actor,
): Promise<void> {
  const change = newChange(whole.environment, {
    kind,
    groups: groupsOf(plans.map(({ plan }) => plan)),
    by: actor.name,
  });
  await checkOnCluster({ change, registryId: whole.environment.registryId, plans, configs: [] });
  const stored = await storePlanTexts(plans);
  await storePlans(change.changeId, stored);
  await enableReconciler();
  await accept(whole, change, plans, actor);
  await placePlannedServices(change, stored);
  await startChange(change);
}

function refuseWrongPresence(
  kind: "add" | "update",
  whole: WholeEnvironment,
  requests: readonly ServiceRequest[],
): void {
  const refused = updateRefusal(whole.environment);
  if (refused !== undefined) throw new EnvironmentProblem(refused);
  const present = new Set(whole.services.map((service) => service.name));
  for (const { name } of requests) {
    if (whole.leaving.includes(name))
      throw new EnvironmentProblem(
        `service ${name} is still being removed from the environment; try again in a moment`,
      );
    if (kind === "add" && present.has(name))
      throw new EnvironmentProblem(
        `service ${name} already exist in env, cannot repeatedly add the same service to the environment`,
      );
    if (kind === "update" && !present.has(name))
      throw new ApiError(
        404,
        `service ${name} does not exist in environment ${whole.environment.envKey}; add it first`,
      );
  }
}

/**
 * What a change of services will apply, after everything that can be checked without the cluster.
 * @throws EnvironmentProblem in a wrong state or for a service that is there; ApiError 404, 6092
 */
export async function planServicesChange(
  kind: "add" | "update",
  whole: WholeEnvironment,
  requests: readonly ServiceRequest[],
): Promise<RenderedPlan[]> {
  refuseWrongPresence(kind, whole, requests);
  const target = await planTargetOf(whole.environment);
  const { services } = whole;
  try {
    return await planServices(target, requests, new Map(services.map((service) => [service.name, service])));
  } catch (error) {
    if (error instanceof UnknownService) throw new ApiError(6092, error.message);
    throw error;
  }
}

/** Where services of a standing environment are rendered to. */
export async function planTargetOf(environment: EnvironmentRecord): Promise<PlanTarget> {
  const cluster = await findCluster(environment.clusterId);
  return {
    projectKey: environment.projectKey,
    production: environment.production,
    envKey: environment.envKey,
    namespace: environment.namespace,
    clusterName: cluster?.name ?? "",
    globals: environment.globalVariables,
    unknownGlobal: "reset",
  };
}

/** Of two changes at the same moment one goes; the other finds the status changed. */
async function accept(
  whole: WholeEnvironment,
  change: Change,
  plans: readonly RenderedPlan[],
  actor: Actor,
): Promise<void> {
  const { environment } = whole;
  const set = {
    status: "updating" as const,
    changeId: change.changeId,
    updatedBy: actor.name,
    globalVariables: relate(environment.globalVariables, plans),
  };
  const unchanged = mustBeOneOf("version", [environment.version]);
  const accepting = mustBeOneOf("status", statusesAccepting("update"));
  try {
    await table().write(
      changeEnvironment(environment, set, both(unchanged, accepting)),
      createChange(change, change.deadline),
      projectMustStand(environment.projectKey),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed) || !error.failed.includes(0)) throw error;
    throw new EnvironmentProblem(
      "environment is in a state that cannot be updated: another change of it began at the same moment",
    );
  }
}

/** Which services read a global variable, after this change. */
function relate(globals: readonly EnvironmentGlobal[], plans: readonly RenderedPlan[]): EnvironmentGlobal[] {
  return plans.reduce((related, { plan }) => relateService(related, plan.name, plan.variables), [...globals]);
}
