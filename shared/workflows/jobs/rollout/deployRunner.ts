import { EnvironmentProblem } from "../../../environments/failures.ts";
import { isFree, rolloutSentence } from "../../../environments/requireNoRollout.ts";
import type { EnvironmentRecord } from "../../../environments/store/environments.ts";
import {
  besideName,
  findRollout,
  type Rollout,
  removeRollout,
  sharesTraffic,
  takeRollout,
} from "../../../environments/store/rollouts.ts";
import { ApiError } from "../../../errors/apiError.ts";
import { requireSignedImages } from "../../../images/verification/requireSignedImages.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { enableReconciler } from "../../../reconciling/enableReconciler.ts";
import { nowSeconds } from "../../../store/ids.ts";
import type { JobEnd } from "../../records/task.ts";
import { containersIn } from "../custom-deploy/target.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import type { JobRun } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import { applyBeside } from "./applyBeside.ts";
import { awaitedOf } from "./awaitedOf.ts";
import { besideDeployment, blueSelector, blueService } from "./besideObjects.ts";
import { findPlace, type RolloutPlace, type RolloutTarget, readTarget, replicasOf } from "./findTarget.ts";
import { grayStep, shareOf } from "./grayStep.ts";
import { firstIstioStep } from "./istioStep.ts";
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
export async function ownRollout(
  run: JobRun,
  { environment, service, place }: RolloutPlace,
  target: RolloutTarget,
): Promise<Rollout> {
  const { deployJob } = rolloutRunOf(run);
  const { projectKey, envKey, production, environmentId } = environment;
  const rollout: Rollout = {
    ...place,
    ...{ owner: ownerOfRun(run), ownerId: run.task.owner.id, taskId: run.task.taskId },
    ...{ workflowKey: run.task.owner.key, job: deployJob },
    ...{ projectKey, envKey, production, environmentId, service },
    ...{ phase: "deployed", phaseAt: nowSeconds() },
    ...{ uid: target.live.metadata.uid ?? "", generation: target.live.metadata.generation ?? 0 },
    images: await imagesOf(run, environment, target.live),
    kubeService: target.service.metadata.name,
    selector: target.selector,
    ...modeOf(run, target),
  };
  await enableReconciler();
  if (await takeRollout(rollout)) return rollout;
  const standing = await findRollout(place);
  if (standing !== undefined && standing.owner === rollout.owner) {
    if (standing.job === deployJob && standing.phase === "deployed") return standing;
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

function modeOf(
  run: JobRun,
  { live, selector }: RolloutTarget,
): Pick<Rollout, "mode" | "shiftedSelector"> & Partial<Rollout> {
  const wanted = rolloutRunOf(run);
  const total = replicasOf(live);
  if (wanted.mode === "canary")
    return { mode: "canary", replicas: shareOf(total, wanted.percentage), shiftedSelector: selector };
  if (wanted.mode === "gray") return { mode: "gray", shiftedSelector: selector, ...grayStep(wanted, live, total) };
  if (wanted.mode === "istio") return { mode: "istio", shiftedSelector: selector, ...firstIstioStep(wanted, live) };
  return { mode: "blue-green", shiftedSelector: blueSelector(selector) };
}

async function imagesOf(
  run: JobRun,
  { production }: Pick<EnvironmentRecord, "production">,
  live: LiveObject,
): Promise<Rollout["images"]> {
  const { images } = rolloutRunOf(run);
  if (images.length === 0) throw new EnvironmentProblem("service_and_image names no module whose image is to change");
  const now = new Map(containersIn(live).map(({ name, image }) => [String(name), String(image)]));
  const missing = images.find(({ container }) => !now.has(container));
  if (missing !== undefined)
    throw new EnvironmentProblem(
      `container "${missing.container}" is not part of ${live.kind} "${live.metadata.name}"; its containers are: ${[...now.keys()].join(", ")}`,
    );
  const unnamed = images.find(({ image }) => image === "");
  if (unnamed !== undefined) throw new EnvironmentProblem(`no image is named for container ${unnamed.container}`);
  const wanted = images.map(({ image }) => image);
  const signed = production ? await requireSignedImages(run.task.owner.projectKey, wanted) : new Map<string, string>();
  return images.map(({ container, image }) => ({
    ...{ container, before: now.get(container) ?? "" },
    after: signed.get(image) ?? image,
  }));
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
