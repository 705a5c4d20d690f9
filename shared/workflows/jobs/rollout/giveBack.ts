import { setTimeout as delay } from "node:timers/promises";
import { nowSeconds } from "../../../base/store/ids.ts";
import type { Actor } from "../../../environments/change/createEnvironment.ts";
import { updateImage } from "../../../environments/change/updateImage.ts";
import { findEnvironment, findEnvironmentService } from "../../../environments/store/environments.ts";
import {
  besideName,
  findRollout,
  moveRollout,
  type Rollout,
  sharesTraffic,
  type WorkloadPlace,
} from "../../../environments/store/rollouts.ts";
import type { ClusterClient } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { workloadReady } from "../../../kube/live/workloadReady.ts";
import { deploymentRef, leadsTo, replicasOf, serviceRef } from "./findTarget.ts";
import { imageOf, imagesPatch } from "./images.ts";
import { leadBack, leaveSubsets } from "./istioRoutes.ts";
import { recordOrigin } from "./origin.ts";
import { removeOwned } from "./removeOwned.ts";
import { setReplicas } from "./setReplicas.ts";

/** A workload whose images are set, and the task that may do so. */
export type RolledWorkload = WorkloadPlace &
  Pick<Rollout, "projectKey" | "envKey" | "production" | "service" | "owner">;

/** Until proxies have heard of a changed Service. */
const drainMilliseconds = 2000;
/** How long traffic stays with the new pods while the former ones do not become ready. */
const patienceSeconds = 600;

/**
 * Ends a rollout whatever its phase: the workload has the traffic again, with the new images where it was released and the
 * former ones otherwise, and nothing is left beside it. Each step may be repeated.
 * @returns false while traffic has to stay with the new pods, because the workload is not ready for it
 */
export async function giveBack(place: WorkloadPlace, actor: Actor): Promise<boolean> {
  const found = await findRollout(place);
  if (found === undefined || found.phase === "over") return true;
  if (found.phase !== "released" && found.phase !== "returning") await moveRollout(found, [found.phase], "returning");
  const rollout = await findRollout(place);
  if (rollout === undefined || rollout.owner !== found.owner) return true;
  const { client } = await openCluster(rollout.clusterId);
  if (rollout.phase === "returning") await restore(client, rollout, actor);
  const service = await findObject(client, serviceRef(rollout.namespace, rollout.kubeService));
  if (service !== undefined && leadsTo(service, rollout.shiftedSelector)) {
    const live = await findObject(client, deploymentRef(rollout));
    const isPatient = nowSeconds() < rollout.phaseAt + patienceSeconds;
    if (live !== undefined && isPatient && workloadReady(live).state !== "ready") return false;
    await pointService(client, rollout, rollout.selector);
  }
  if (rollout.istio !== undefined) {
    await leadBack(client, rollout);
    await delay(drainMilliseconds);
    await leaveSubsets(client, rollout);
  }
  if (rollout.phase === "released") await recordOrigin(client, rollout);
  await removeBeside(client, rollout);
  await moveRollout(rollout, ["released", "returning"], "over");
  return true;
}

/** Leads the Service to other pods, and waits until that is known everywhere, unless new pods share it. */
export async function pointService(
  client: ClusterClient,
  rollout: Rollout,
  selector: Readonly<Record<string, string>>,
): Promise<void> {
  if (sharesTraffic(rollout)) return;
  const { namespace, kubeService } = rollout;
  await client.patch(serviceRef(namespace, kubeService), { type: "merge", body: { spec: { selector } } });
  await delay(drainMilliseconds);
}

/** Only what the rollout itself changed: an image or a number of pods that was set since stays. */
async function restore(client: ClusterClient, rollout: Rollout, actor: Actor): Promise<void> {
  const live = await findObject(client, deploymentRef(rollout));
  const environment = await findEnvironment(rollout.projectKey, rollout.envKey, { consistent: true });
  if (live === undefined || environment?.environmentId !== rollout.environmentId) return;
  for (const { container, before, after } of rollout.images)
    if (before !== after && [before, after].includes(imageOf(live, container)))
      await setImage(client, rollout, { container, image: before }, actor);
  const { gray } = rollout;
  if (gray !== undefined && [gray.kept, gray.keptBefore].includes(replicasOf(live)))
    await setReplicas(client, rollout, gray.total);
}

/**
 * Changes the image in the environment as a user would, so that its record follows. An image that the cluster and the
 * record have already is not touched: a try that was cut off between both is finished, and makes no second version.
 */
export async function setImage(
  client: ClusterClient,
  rollout: RolledWorkload,
  { container, image }: { container: string; image: string },
  actor: Actor,
): Promise<void> {
  const live = await client.get(deploymentRef(rollout));
  if (imageOf(live, container) === image && (await isRecorded(rollout, container, image))) return;
  if (rollout.service === "") {
    await client.patch(deploymentRef(rollout), imagesPatch([{ container, image }]));
    return;
  }
  const { projectKey, envKey, production, service, kind, name, owner } = rollout;
  const workload = { kind, name };
  await updateImage({ projectKey, envKey, production }, { service, workload, container, image, rollout: owner }, actor);
}

async function isRecorded(rollout: RolledWorkload, container: string, image: string): Promise<boolean> {
  if (rollout.service === "") return true;
  const stored = await findEnvironmentService(rollout.projectKey, rollout.envKey, rollout.service);
  return stored?.containers.some((one) => one.name === container && one.image === image) === true;
}

async function removeBeside(client: ClusterClient, rollout: Rollout): Promise<void> {
  const beside = [
    deploymentRef({ ...rollout, name: besideName(rollout.name, rollout) }),
    serviceRef(rollout.namespace, besideName(rollout.kubeService, rollout)),
  ];
  for (const ref of beside) await removeOwned(client, ref, rollout.owner);
}
