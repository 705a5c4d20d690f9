import { ApiError } from "../../base/errors/apiError.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import { requireProject } from "../../projects/store/projects.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { requireUpdatable } from "../change/requireUpdatable.ts";
import { overtaken, startStepChange } from "../change/startStepChange.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { rolloutsIn } from "../store/rollouts.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";
import { isFree, rolloutSentence } from "../workloads/requireNoRollout.ts";
import { noMesh } from "./syncRoutes.ts";

/**
 * Makes an environment a base of sub-environments: accepted here, done by the state machine (contract P 9.1, decisions
 * 11.14). For a base it is done again, which repairs its routes.
 * @throws ApiError 404 unknown environment; 6076 in a wrong state, for a sub-environment and for a cluster without Istio
 */
export async function enableSharing(name: EnvironmentName, actor: Actor): Promise<void> {
  const environment = await sharable(name);
  await failingWith(6076, () => begin("share", environment, actor));
}

/**
 * The environment, when it may become a base.
 * @throws ApiError as `enableSharing`
 */
export async function sharable(name: EnvironmentName): Promise<Item<EnvironmentRecord>> {
  const [{ environment }, project] = await Promise.all([requireEnvironment(name), requireProject(name.projectKey)]);
  return failingWith(6076, async () => {
    if (project.projectType === "loaded")
      throw new EnvironmentProblem(
        "a project of type loaded looks after workloads that stand there already; it has no bases and no sub-environments",
      );
    if (environment.baseEnv !== undefined)
      throw new EnvironmentProblem(
        `environment ${environment.envKey} is a sub-environment of ${environment.baseEnv} and cannot be a base`,
      );
    refuseInState(environment);
    await refuseRollouts(environment);
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    if ((await meshKindsOf(client, call)) === undefined) throw new EnvironmentProblem(noMesh);
    return environment;
  });
}

/**
 * Makes a base an environment like others and deletes its sub-environments (contract P 9.2); one that is no base is left
 * alone.
 * @param mayDelete whether the caller may delete environments: needed where there are sub-environments
 * @throws ApiError 404 unknown environment; 403; 6076 in a wrong state, also of a sub-environment
 */
export async function disableSharing(name: EnvironmentName, mayDelete: () => boolean, actor: Actor): Promise<void> {
  const { environment } = await requireEnvironment(name);
  if (environment.share === undefined || environment.share === "disabled") return;
  const subs = await subEnvironmentsOf(name.projectKey, name.envKey);
  if (subs.length > 0 && !mayDelete())
    throw new ApiError(
      403,
      `disabling deletes the sub-environments ${namesOf(subs)}; that needs ${name.production ? "delete_production_environment" : "delete_environment"} in project ${name.projectKey}`,
    );
  await failingWith(6076, async () => {
    refuseInState(environment);
    await refuseRollouts(environment);
    const moving = subs.filter(({ status, rollingOut }) => inTransition.has(status) && rollingOut !== true);
    if (moving.length > 0)
      throw new EnvironmentProblem(
        `sub-environment ${moving.map(({ envKey, status }) => `${envKey} is ${status}`).join(", ")}; wait until the change under way has finished`,
      );
    await begin("unshare", environment, actor);
  });
}

const inTransition: ReadonlySet<string> = new Set(["creating", "updating", "deleting"]);

const namesOf = (environments: readonly EnvironmentRecord[]) => environments.map(({ envKey }) => envKey).join(", ");

export function refuseInState(environment: EnvironmentRecord): void {
  requireUpdatable(environment);
}

/** Pods are recreated for the proxy's sake, and routes change hands: neither while a task rolls something out there. */
async function refuseRollouts({ clusterId, namespace }: EnvironmentRecord): Promise<void> {
  for (const rollout of await rolloutsIn(clusterId, namespace))
    if (!(await isFree(rollout))) throw new EnvironmentProblem(rolloutSentence(rollout));
}

async function begin(kind: "share" | "unshare", environment: Item<EnvironmentRecord>, actor: Actor): Promise<void> {
  // A base stays one while it is repaired, so that its sub-environments are not refused meanwhile.
  const enabling = environment.share === "enabled" ? "enabled" : "enabling";
  const noted =
    kind === "share" ? ({ share: enabling } as const) : ({ share: "disabling", portals: {}, calls: {} } as const);
  if (!(await startStepChange(kind, environment, actor.name, { noted }))) throw new EnvironmentBusy(overtaken);
}
