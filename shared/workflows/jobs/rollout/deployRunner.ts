import { ApiError } from "../../../base/errors/apiError.ts";
import { enableReconciler } from "../../../base/reconciling/enableReconciler.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import {
  besideName,
  findRollout,
  type Rollout,
  removeRollout,
  sharesTraffic,
  takeRollout,
} from "../../../environments/store/rollouts.ts";
import { isFree, rolloutSentence } from "../../../environments/workloads/requireNoRollout.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import type { JobEnd } from "../../records/task.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import type { JobRun } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import { applyBeside } from "./applyBeside.ts";
import { awaitedOf } from "./awaitedOf.ts";
import { besideDeployment, blueService } from "./besideObjects.ts";
import { findPlace, type RolloutPlace, type RolloutTarget, readTarget, replicasOf } from "./findTarget.ts";
import { plannedRollout } from "./plannedRollout.ts";
import { say, withEvents } from "./rolloutEvents.ts";
import { ownerOfRun, rolloutRunOf } from "./rolloutRun.ts";

/**
 * Starts new pods beside those of a workload, and waits until they are ready; the Service and the workload stay as they are
 * (decisions 12.2). Those of a canary share the traffic, the others wait. The task owns the workload from here to its end.
 */
export const rolloutDeployRunner = withEvents({
  begin: async (run) => {
    const found = await findPlace(run);
    const target = await readTarget(found);
    const rollout = await ownRollout(run, found, target);
    const deployment = await applyBeside(found.client, besideDeployment(target.live, rollout));
    if (!sharesTraffic(rollout)) await applyBeside(found.client, blueService(target.service, rollout));
    sayBeside(run, deployment);
    const result = shown(run, rollout);
    const ready = await readinessOf(run);
    if (ready !== undefined) return over(run, asEnd(ready, result));
    return awaitWorkloads(run, found.environment, [awaitedOf(deployment, "")], result);
  },
  finish: async (run, why) => over(run, await waitEnd(run, why, async () => (await findPlace(run)).environment)),
});

function over(run: JobRun, end: JobEnd): JobEnd {
  if (end.ending === "passed") say(run, "the new pods are ready");
  return end;
}

/** Also by a try that finds them ready, because the one that started them did not live to say it. */
export function sayBeside(run: JobRun, deployment: LiveObject): void {
  const { kind, metadata } = deployment;
  say(run, `${kind} "${metadata.name}" starts beside the workload, to have ${replicasOf(deployment)} new pods`);
}

/**
 * The record that says so, made before anything else is; a repetition finds its own.
 * @throws EnvironmentProblem for images that cannot be set; ApiError 6076 when another task owns the workload
 */
export async function ownRollout(run: JobRun, found: RolloutPlace, target: RolloutTarget): Promise<Rollout> {
  const { place } = found;
  const { owner, taskId } = run.task;
  const by = { owner: ownerOfRun(run), ownerId: owner.id, taskId, workflowKey: owner.key };
  const rollout = await plannedRollout(rolloutRunOf(run), found, target, by);
  await enableReconciler();
  if (await takeRollout(rollout)) return rollout;
  const standing = await findRollout(place);
  if (standing !== undefined && standing.owner === rollout.owner) {
    if (standing.job === rollout.job && standing.phase === "deployed") return standing;
    throw new EnvironmentProblem(
      `${place.kind} "${place.name}" is rolled out by job ${standing.job} of this task already; a task can do that once`,
    );
  }
  if (standing !== undefined && (await isFree(standing))) await removeRollout(standing);
  if ((standing === undefined || (await isFree(standing))) && (await takeRollout(rollout))) return rollout;
  const holder = await findRollout(place);
  throw new ApiError(
    6076,
    holder === undefined
      ? `${place.kind} "${place.name}" was rolled out by another task at this moment; run the job again`
      : rolloutSentence(holder),
  );
}

function shown({ spec }: JobRun, rollout: Rollout): Record<string, unknown> {
  if (rollout.mode === "canary") return { canary_replica: rollout.replicas };
  const service = typeof spec.service === "object" && spec.service !== null ? spec.service : {};
  return {
    service: {
      ...service,
      ...{ green_service_name: rollout.kubeService, green_deployment_name: rollout.name },
      ...{
        blue_service_name: besideName(rollout.kubeService, rollout),
        blue_deployment_name: besideName(rollout.name, rollout),
      },
    },
  };
}
