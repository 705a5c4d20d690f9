import { nowSeconds } from "../../../base/store/ids.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import type { EnvironmentRecord } from "../../../environments/store/environments.ts";
import type { Rollout } from "../../../environments/store/rollouts.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { requireSignedImages } from "../../../packaging/images/verification/requireSignedImages.ts";
import { containersIn } from "../custom-deploy/target.ts";
import { blueSelector } from "./besideObjects.ts";
import { type RolloutPlace, type RolloutTarget, replicasOf } from "./findTarget.ts";
import { grayStep, shareOf } from "./grayStep.ts";
import { firstIstioStep } from "./istioStep.ts";
import type { RolloutRun } from "./rolloutRun.ts";

/**
 * What the record of a rollout says that begins now.
 * @param by the task that rolls out
 * @throws EnvironmentProblem for images that cannot be set
 */
export async function plannedRollout(
  wanted: RolloutRun,
  { environment, service, place }: RolloutPlace,
  target: RolloutTarget,
  by: Pick<Rollout, "owner" | "ownerId" | "taskId" | "workflowKey">,
): Promise<Rollout> {
  const { projectKey, envKey, production, environmentId } = environment;
  return {
    ...place,
    ...by,
    job: wanted.deployJob,
    ...{ projectKey, envKey, production, environmentId, service },
    ...{ phase: "deployed", phaseAt: nowSeconds() },
    ...{ uid: target.live.metadata.uid ?? "", generation: target.live.metadata.generation ?? 0 },
    images: await imagesOf(wanted, environment, target.live),
    kubeService: target.service.metadata.name,
    selector: target.selector,
    ...modeOf(wanted, target),
  };
}

function modeOf(
  wanted: RolloutRun,
  { live, selector }: RolloutTarget,
): Pick<Rollout, "mode" | "shiftedSelector"> & Partial<Rollout> {
  const total = replicasOf(live);
  if (wanted.mode === "canary")
    return { mode: "canary", replicas: shareOf(total, wanted.percentage), shiftedSelector: selector };
  if (wanted.mode === "gray") return { mode: "gray", shiftedSelector: selector, ...grayStep(wanted, live, total) };
  if (wanted.mode === "istio") return { mode: "istio", shiftedSelector: selector, ...firstIstioStep(wanted, live) };
  return { mode: "blue-green", shiftedSelector: blueSelector(selector) };
}

async function imagesOf(
  { images }: RolloutRun,
  { projectKey, production }: Pick<EnvironmentRecord, "projectKey" | "production">,
  live: LiveObject,
): Promise<Rollout["images"]> {
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
  const signed = production ? await requireSignedImages(projectKey, wanted) : new Map<string, string>();
  return images.map(({ container, image }) => ({
    ...{ container, before: now.get(container) ?? "" },
    after: signed.get(image) ?? image,
  }));
}
