import { createHash } from "node:crypto";
import { nowSeconds } from "../../../../base/store/ids.ts";
import { jobBoundsProblem } from "../../../../environments/plan/boundsOf.ts";
import { besideName, type Rollout } from "../../../../environments/store/rollouts.ts";
import { environmentLabel, rolloutLabel, serviceLabel } from "../../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../../kube/client/ClusterClient.ts";
import { ClusterAlreadyExists } from "../../../../kube/client/errors.ts";
import { findObject } from "../../../../kube/client/findObject.ts";
import { conditionOf } from "../../../../kube/live/conditions.ts";
import { mapPodImages, podImages } from "../../../../manifest/podImages.ts";
import { isRecord, type KubeObject } from "../../../../manifest/schema/kubeObject.ts";
import { ImagesRefused, requireSignedImages } from "../../../../packaging/images/verification/requireSignedImages.ts";
import { jobIn } from "../../../definition/jobManifest.ts";
import { deploymentRef, textsAt } from "../findTarget.ts";
import { type Analysis, secondsOfGrace } from "./analyses.ts";
import type { Looked } from "./looks.ts";
import { NoValue } from "./noValue.ts";

/** Its log can be read until then, unless the rollout ends before. */
const keptSeconds = 600;

/**
 * Runs a Job beside the workload, one for each look, and reports how it ended. It belongs to the new pods' Deployment,
 * so that it is removed with that however the rollout ends.
 * @returns 0 for one that completed, undefined while it runs
 * @throws NoValue for one that failed, was refused, or did not end in time; ClusterError
 */
export async function jobValue(
  client: ClusterClient,
  rollout: Rollout,
  analysis: Analysis,
  looked: Looked,
): Promise<number | undefined> {
  const found = jobIn(analysis.query);
  // What variables have made of it.
  if ("problem" in found) throw new NoValue(`query ${found.problem}`);
  const { job } = found;
  const name = nameOf(job, rollout, looked);
  const standing = await findObject(client, {
    apiVersion: "batch/v1",
    kind: "Job",
    namespace: rollout.namespace,
    name,
  });
  if (standing !== undefined) return endOf(standing, analysis);
  await begin(client, { ...job, metadata: { ...job.metadata, name } }, rollout, analysis);
  return undefined;
}

/** The same for each try at a look. */
function nameOf(
  { metadata }: KubeObject,
  { owner, name }: Rollout,
  { name: analysis, start_time, looks }: Looked,
): string {
  const look = JSON.stringify([owner, name, analysis, start_time, looks.length]);
  return `${metadata.name.slice(0, 50)}-${createHash("sha256").update(look).digest("hex").slice(0, 12)}`;
}

function endOf(job: LiveObject, { interval }: Analysis): number | undefined {
  const what = `Job "${job.metadata.name}"`;
  if (conditionOf(job, "Complete")?.status === "True") return 0;
  const failed = conditionOf(job, "Failed");
  if (failed?.status === "True") throw new NoValue(`${what} failed: ${failed.reason}: ${failed.message}`);
  const begun = Date.parse(job.metadata.creationTimestamp ?? "") / 1000;
  if (nowSeconds() > begun + interval + secondsOfGrace)
    throw new NoValue(`${what} did not end within ${interval} seconds, its interval`);
  return undefined;
}

async function begin(client: ClusterClient, job: KubeObject, rollout: Rollout, { interval }: Analysis): Promise<void> {
  const { namespace, owner, selector, shiftedSelector } = rollout;
  const beside = await findObject(client, deploymentRef({ namespace, name: besideName(rollout.name, rollout) }));
  if (beside === undefined) throw new NoValue("there is nothing beside the workload");
  const pods = podLabels(job);
  for (const one of [selector, shiftedSelector])
    if (Object.entries(one).every(([key, value]) => pods[key] === value))
      throw new NoValue(
        `the Job's pods would get the traffic of Service "${rollout.kubeService}"; give them other labels`,
      );
  const spec = isRecord(job.spec) ? job.spec : {};
  const template = isRecord(spec.template) ? spec.template : {};
  const podMetadata = isRecord(template.metadata) ? template.metadata : {};
  const { name: kept, uid } = beside.metadata;
  const made: KubeObject = {
    ...job,
    metadata: {
      ...job.metadata,
      namespace,
      labels: { ...unmarked(job.metadata.labels ?? {}), [rolloutLabel]: owner },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: kept, uid }],
    },
    spec: {
      ...spec,
      activeDeadlineSeconds: Math.min(Number(spec.activeDeadlineSeconds ?? interval), interval),
      ttlSecondsAfterFinished: keptSeconds,
      template: { ...template, metadata: { ...podMetadata, labels: unmarked(pods) } },
    },
  };
  const problem = await jobBoundsProblem(rollout, made);
  if (problem !== undefined) throw new NoValue(problem);
  try {
    await client.create(await signed(made, rollout));
  } catch (error) {
    // Another try at the same look was faster.
    if (!(error instanceof ClusterAlreadyExists)) throw error;
  }
}

function podLabels(job: KubeObject): Record<string, string> {
  return textsAt(job as LiveObject, ["spec", "template", "metadata", "labels"]);
}

/** It is no object of an environment, whatever it says. */
function unmarked(labels: Readonly<Record<string, string>>): Record<string, string> {
  const { [environmentLabel]: _environment, [serviceLabel]: _service, [rolloutLabel]: _rollout, ...kept } = labels;
  return kept;
}

async function signed(job: KubeObject, { production, projectKey }: Rollout): Promise<KubeObject> {
  if (!production) return job;
  try {
    const images = await requireSignedImages(projectKey, podImages([job]));
    return mapPodImages(job, (image) => images.get(image) ?? image);
  } catch (error) {
    if (error instanceof ImagesRefused) throw new NoValue(error.message, { cause: error });
    throw error;
  }
}
