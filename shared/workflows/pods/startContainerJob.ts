import { signAddress } from "../../base/aws/objects/signAddress.ts";
import { config } from "../../base/settings/config.ts";
import type { ClusterClient, LiveObject, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { ClusterAlreadyExists, ClusterNotFound } from "../../kube/client/errors.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { podViolations } from "../../kube/podSecurity/podViolations.ts";
import type { KubeObject } from "../../manifest/parseManifest.ts";
import { mainContainerName } from "./names.ts";
import type { ContainerJob } from "./rules/containerJob.ts";
import { ContainerJobInvalid } from "./rules/containerJobInvalid.ts";
import { type JobManifest, jobManifest } from "./rules/jobManifest.ts";
import { type SignedAddresses, signedKeys } from "./rules/jobSecret.ts";
import type { ToolImages } from "./rules/stepContainer.ts";

/**
 * Starts a job on its cluster (contract W 11.1, decisions 7.4): the Job suspended, then what it owns, and then lets it go,
 * so that no Secret is ever without its Job and no pod without its Secret. Makes the namespace when it does not exist,
 * as a refused creation shows: no job costs a request for it.
 * A second call finds the same Job and changes nothing.
 * @throws ContainerJobInvalid naming what of the job cannot run; ClusterError
 */
export async function startContainerJob(job: ContainerJob): Promise<void> {
  const manifest = jobManifest(job, {
    images: toolImages(),
    signed: await signedFor(job),
    mainName: mainContainerName(job.jobTaskName),
  });
  checkBaseline(job, manifest.job);
  const { client } = await openCluster(job.clusterId);
  const live = await madeJob(client, manifest.job);
  if (!isSuspended(live)) return;
  const { name, uid = "" } = live.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid };
  const owned = [
    manifest.secret,
    ...(manifest.pullSecret === undefined ? [] : [manifest.pullSecret]),
    ...manifest.claims.filter(({ temporary }) => temporary).map(({ claim }) => claim),
  ];
  const kept = manifest.claims.filter(({ temporary }) => !temporary).map(({ claim }) => claim);
  await Promise.all([
    ...owned.map((object) => makeOwned(client, object, owner)),
    ...kept.map((claim) => madeOnce(client, claim)),
  ]);
  await client.patch(refOf(live), { type: "merge", body: { spec: { suspend: false } } });
}

async function signedFor(job: ContainerJob): Promise<SignedAddresses> {
  const seconds = (job.timeoutMinutes > 0 ? job.timeoutMinutes : 600) * 60 + 3600;
  const signed = signedKeys(job).map(async (key): Promise<[string, { put: string; get: string }]> => {
    const [put, get] = await Promise.all([signAddress("PUT", key, seconds), signAddress("GET", key, seconds)]);
    return [key, { put, get }];
  });
  return new Map(await Promise.all(signed));
}

async function madeJob(client: ClusterClient, job: KubeObject): Promise<LiveObject> {
  try {
    return await madeOnce(client, job);
  } catch (error) {
    if (!(error instanceof ClusterNotFound)) throw error;
    const { namespace = "" } = job.metadata;
    await madeOnce(client, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    return madeOnce(client, job);
  }
}

async function madeOnce(client: ClusterClient, object: KubeObject): Promise<LiveObject> {
  try {
    return await client.create(object);
  } catch (error) {
    if (!(error instanceof ClusterAlreadyExists)) throw error;
    return client.get(refOf(object));
  }
}

/** What an earlier Job of the same name left is replaced: it goes with that one any moment. */
async function makeOwned(client: ClusterClient, object: KubeObject, owner: ObjectRef & { uid: string }): Promise<void> {
  const own: KubeObject = { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
  const live = await madeOnce(client, own);
  if (live.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true) return;
  await client.remove(refOf(object), { uid: live.metadata.uid });
  await client.create(own);
}

function isSuspended(job: LiveObject & { spec?: { suspend?: boolean } }): boolean {
  return job.spec?.suspend === true;
}

/** The images of the containers that are not the user's. */
function toolImages(): ToolImages {
  const { SLIPWAY_IMAGE_GIT, SLIPWAY_IMAGE_BUILDKIT, SLIPWAY_IMAGE_TOOLS, SLIPWAY_BUILDKIT_MODE } = config();
  return {
    git: SLIPWAY_IMAGE_GIT,
    buildkit: SLIPWAY_IMAGE_BUILDKIT,
    tools: SLIPWAY_IMAGE_TOOLS,
    buildkitMode: SLIPWAY_BUILDKIT_MODE,
  };
}

interface JobSpec {
  template: { metadata: object; spec: { initContainers: readonly { name: string }[] } };
}

/**
 * Containers of users' scripts keep Kubernetes' Pod Security Standard `baseline` (decisions 17.6), though nothing enforces it in
 * the namespaces of jobs: BuildKit, whose containers are ours, needs more. Jobs that were let have more are not judged.
 * @throws ContainerJobInvalid naming the control, the reason and the field
 */
export function checkBaseline({ steps, privileged, hostDocker }: ContainerJob, made: JobManifest["job"]): void {
  const { metadata, spec } = (made.spec as JobSpec).template;
  if (privileged || hostDocker) return;
  const builds = new Set(steps.filter(({ kind }) => kind === "imageBuild").map(({ name }) => name));
  const initContainers = spec.initContainers.filter(({ name }) => !builds.has(name));
  const violations = podViolations({ metadata, spec: { ...spec, initContainers } }, "baseline");
  if (violations.length === 0) return;
  const told = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  throw new ContainerJobInvalid(`the job's pod violates the Pod Security Standard "baseline": ${told}`);
}
