import type { EnvironmentName } from "../../../environments/requireEnvironment.ts";
import { type Rollout, sharesTraffic } from "../../../environments/store/rollouts.ts";
import { requireNoRollout } from "../../../environments/workloads/requireNoRollout.ts";
import type { LiveObject, Patch } from "../../../kube/client/ClusterClient.ts";
import { type ObjectPreview, objectPreview } from "../../../kube/preview/objectPreview.ts";
import { environmentsIn } from "../ownNamespace.ts";
import type { JobPreviewer, ServicePreview } from "../preview.ts";
import { isLate, lateSentence } from "../variables/lateValues.ts";
import { applyBeside } from "./applyBeside.ts";
import { besideDeployment, blueService } from "./besideObjects.ts";
import { deploymentRef, placeToRoll, type RolloutPlace, type RolloutTarget, readTarget } from "./findTarget.ts";
import { imageOf, imagesPatch } from "./images.ts";
import { type NotedMode, originOf } from "./origin.ts";
import { plannedRollout } from "./plannedRollout.ts";
import type { BlueGreenRun, CanaryRun, NamedPlace, RolloutRun } from "./rolloutRun.ts";

/** The task of a preview: none was started. */
const by = { owner: "preview", ownerId: "", taskId: 0, workflowKey: "" };

/** What a job of a rollout does, in words and to objects as they are now. */
interface Effect {
  action: string;
  objects(found: RolloutPlace, target: RolloutTarget, rollout: Rollout): Promise<ObjectPreview[]>;
}

/** What new pods beside those of a workload would be. */
export const previewBeside = rolloutPreviewer((wanted) => ({ action: deployAction(wanted), objects: beside }));

/** What becomes of the workload itself. */
export const previewRelease = rolloutPreviewer((wanted) => ({ action: releaseAction(wanted), objects: renewed }));

/** The first step starts new pods, the last one renews the workload; what is between them changes how many there are. */
export const previewStep = rolloutPreviewer((wanted) => {
  if (shareAfter(wanted) === 100) return { action: releaseAction(wanted), objects: renewed };
  const isFirst = !("job" in wanted) || wanted.job === wanted.deployJob;
  return { action: deployAction(wanted), objects: isFirst ? beside : async () => [] };
});

function rolloutPreviewer(effectOf: (wanted: RolloutRun) => Effect): JobPreviewer {
  return async ({ projectKey, run }) => {
    const wanted = run as unknown as RolloutRun;
    const { action, objects } = effectOf(wanted);
    const late = wanted.images.flatMap(
      ({ container, image }) => lateSentence(`the image of container ${container}`, image) ?? [],
    );
    const looks = (wanted.analysis ?? []).length > 0 ? ["its analysis decides whether the new pods stay"] : [];
    const look = async () => {
      const found = await placeToRoll(projectKey, wanted);
      await requireNoRollout(found.place, [found.place]);
      const target = await readTarget(found, inSteps(wanted) ? { underWay: false } : undefined);
      const modules = wanted.images.map(({ container, image }) => ({
        ...{ name: container, now: imageOf(target.live, container), next: isLate(image) ? "" : image },
      }));
      if (late.length > 0) return { name: found.service, modules, objects: [] };
      const rollout = await plannedRollout(wanted, found, target, by);
      return { name: found.service, modules, objects: await objects(found, target, rollout) };
    };
    return inEnvironment(projectKey, wanted, { name: serviceIn(wanted), action, notes: [...late, ...looks], look });
  };
}

/** What a workload would become again. */
export const previewRollback: JobPreviewer = async ({ projectKey, run }) => {
  const wanted = run as unknown as NamedPlace & { mode: NotedMode };
  const look = async () => {
    const found = await placeToRoll(projectKey, wanted);
    const { client, place, service: name } = found;
    await requireNoRollout(place, [place]);
    const live = await client.get(deploymentRef(place));
    const origin = originOf(live, wanted.mode);
    // One that the same task begins before cannot be seen yet.
    if (origin === undefined) {
      const notes = [`${place.kind} "${place.name}" has no release now that could be rolled back`];
      return { name, modules: [], objects: [], notes };
    }
    const images = origin.images.map(({ container, before }) => ({ container, image: before }));
    const modules = images.map(({ container, image }) => ({
      ...{ name: container, now: imageOf(live, container), next: image },
    }));
    return { name, modules, objects: await patched(found, live, imagesPatch(images, { replicas: origin.replicas })) };
  };
  const action = `gives Deployment "${wanted.workload}" the images and the number of pods of before its release`;
  return inEnvironment(projectKey, wanted, { name: "", action, notes: [], look });
};

async function inEnvironment(projectKey: string, wanted: RolloutRun | NamedPlace, service: ServicePreview) {
  const [environment, ...others] = await environmentsOf(projectKey, wanted);
  return [{ ...environment, beside: others, services: [service] }];
}

async function environmentsOf(
  projectKey: string,
  wanted: RolloutRun | NamedPlace,
): Promise<[EnvironmentName, ...EnvironmentName[]]> {
  if (wanted.mode !== undefined) return environmentsIn(projectKey, wanted.clusterId, wanted.namespace);
  return [{ projectKey, envKey: wanted.env, production: wanted.production }];
}

async function beside(
  { client, service: name }: RolloutPlace,
  { live, service }: RolloutTarget,
  rollout: Rollout,
): Promise<ObjectPreview[]> {
  const made = [besideDeployment(live, rollout), ...(sharesTraffic(rollout) ? [] : [blueService(service, rollout)])];
  const after = await Promise.all(made.map((object) => applyBeside(client, object, { dryRun: true })));
  return after.map((object) => objectPreview(name, undefined, object));
}

function renewed(found: RolloutPlace, { live }: RolloutTarget, { images }: Rollout): Promise<ObjectPreview[]> {
  return patched(found, live, imagesPatch(images.map(({ container, after }) => ({ container, image: after }))));
}

async function patched(
  { client, place, service }: RolloutPlace,
  live: LiveObject,
  patch: Patch,
): Promise<ObjectPreview[]> {
  const after = await client.patch(deploymentRef(place), patch, { dryRun: true });
  return [objectPreview(service, live, after)];
}

function inSteps({ mode }: RolloutRun): boolean {
  return mode === "gray" || mode === "istio";
}

function shareAfter(wanted: RolloutRun): number {
  if (wanted.mode === "gray") return wanted.scale;
  return wanted.mode === "istio" ? wanted.weight : 100;
}

function serviceIn(wanted: RolloutRun): string {
  return wanted.mode === undefined ? wanted.service : "";
}

function deployAction(wanted: RolloutRun): string {
  switch (wanted.mode) {
    case "canary":
      return `starts new pods behind Service "${wanted.kubeService}", ${wanted.percentage} per cent of those of the workload, which share its traffic`;
    case "gray":
      return `makes ${wanted.scale} per cent of the pods of Deployment "${wanted.workload}" new`;
    case "istio":
      return `leads ${wanted.weight} per cent of the calls of Deployment "${wanted.workload}" to new pods`;
    default:
      return `starts new pods of service ${wanted.service} beside the former ones, which keep the traffic`;
  }
}

function releaseAction(wanted: RolloutRun): string {
  return `makes ${workloadIn(wanted)} new, and removes what stands beside it`;
}

function workloadIn(wanted: BlueGreenRun | CanaryRun | NamedPlace): string {
  if (wanted.mode === "canary") return `the workload behind Service "${wanted.kubeService}"`;
  return wanted.mode === undefined ? `the workload of service ${wanted.service}` : `Deployment "${wanted.workload}"`;
}
