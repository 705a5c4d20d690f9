import type { KubeObject } from "../../../manifest/parseManifest.ts";
import { dockerConfig } from "./buildkitConfig.ts";
import { checkJob, checkSecretSize } from "./checkJob.ts";
import type { ContainerJob } from "./containerJob.ts";
import { entries, type SignedAddresses, secretContent } from "./jobSecret.ts";
import { jobLabel } from "./marks.ts";
import { absolutePath } from "./paths.ts";
import { podPlacement } from "./podPlacement.ts";
import { podVolumes } from "./podVolumes.ts";
import { finish } from "./scripts/finish.ts";
import { restoreCache, saveCache } from "./scripts/uploadFiles.ts";
import { asRoot, container, type PodContext, stepContainer, type ToolImages } from "./stepContainer.ts";

/** What a job is made of on the cluster. The Job comes first, suspended; it owns the rest. */
export interface JobManifest {
  job: KubeObject;
  secret: KubeObject;
  /** Used to pull its images; absent when no registry needs a sign-in. */
  pullSecret?: KubeObject;
  /** `temporary` ones are the Job's own. */
  claims: readonly { claim: KubeObject; temporary: boolean }[];
}

/** The cluster's own limits on termination messages: of one container, and of all containers of a pod. */
const messageBytes = { container: 4096, pod: 12 * 1024 };
const defaultMinutes = 600;

/**
 * A job as Kubernetes objects (contract W 11.1, decisions 7.4). The same job makes the same objects.
 * @throws ContainerJobInvalid naming what cannot run
 */
export function jobManifest(
  job: ContainerJob,
  { images, signed, mainName }: { images: ToolImages; signed: SignedAddresses; mainName: string },
): JobManifest {
  checkJob(job);
  const content = secretContent(job, signed);
  checkSecretSize(content);
  const { volumes, ...mounts } = podVolumes(job, Object.keys(content).filter(isFile));
  const context: PodContext = { job, images, ...mounts };
  const steps = stepContainers(context);
  const labels = labelsOf(job);
  const pullSecret = pullSecretOf(job, labels);
  const metadata = { namespace: job.namespace, labels };
  const spec = {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    ...podPlacement(job.placement),
    ...(pullSecret && { imagePullSecrets: [{ name: pullSecret.metadata.name }] }),
    initContainers: steps,
    containers: [mainContainer(mainName, steps.length + 1, context)],
    volumes: [...volumes, ...(job.steps.some(({ kind }) => kind === "imageBuild") ? [buildkitVolume] : [])],
  };
  return {
    job: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: job.name, ...metadata, annotations: { ...job.annotations } },
      spec: {
        suspend: true,
        backoffLimit: 0,
        completions: 1,
        parallelism: 1,
        ttlSecondsAfterFinished: 3600,
        activeDeadlineSeconds: (job.timeoutMinutes > 0 ? job.timeoutMinutes : defaultMinutes) * 60 + 3600,
        template: { metadata: { labels, annotations: { ...job.annotations } }, spec },
      },
    },
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: job.name, ...metadata },
      type: "Opaque",
      data: Object.fromEntries(Object.entries(content).map(([key, text]) => [key, base64(text)])),
    },
    ...(pullSecret && { pullSecret }),
    claims: clusterScopedOwnersOf(job, labels),
  };
}

/** Root's or the rootless user's, on the node's disk: the layers of a build. */
const buildkitVolume = { name: "buildkit", emptyDir: {} };

/** Entries that are mounted as files; the others become variables, or are read by Slipway alone. */
function isFile(key: string): boolean {
  return /^(?:script-|dockerfile-|ca-|docker-config$|buildkitd\.toml$)|^git-.*-ssh-\d+$/.test(key);
}

function stepContainers(context: PodContext): object[] {
  const { job, images } = context;
  const steps = job.steps.map((step) => stepContainer(step, context));
  const cache = job.ignoreCache ? undefined : job.cache;
  if (cache?.medium.kind !== "object") return steps;
  const cacheContainer = (name: string, script: string, entry: string): object =>
    container(
      {
        name,
        image: images.tools,
        framed: { script, args: [] },
        plain: { CACHE_DIRECTORY: absolutePath(cache.directory) },
        secret: { CACHE_URL: entry },
        mounts: context.cache,
        more: asRoot,
      },
      context,
    );
  const archives = job.steps.findIndex(({ kind }) => kind === "archive");
  const at = archives < 0 ? steps.length : archives;
  return [
    cacheContainer("slipway-cache-restore", restoreCache, entries.cacheGet),
    ...steps.slice(0, at),
    cacheContainer("slipway-cache-save", saveCache, entries.cachePut),
    ...steps.slice(at),
  ];
}

function mainContainer(name: string, count: number, context: PodContext): object {
  const { job, images, scripts } = context;
  const most = Math.min(messageBytes.container, Math.floor(messageBytes.pod / count));
  const reports = job.reportDirectory === undefined ? "" : absolutePath(job.reportDirectory);
  const args = [finish, "sh", String(most), reports, ...job.outputs];
  return container({ name, image: images.tools, command: ["sh", "-c"], args, mounts: scripts, more: asRoot }, context);
}

function labelsOf(job: ContainerJob): Record<string, string> {
  return {
    ...job.labels,
    "s-name": job.name,
    "s-type": job.jobType.replaceAll("_", "-"),
    [jobLabel]: job.jobRecordId,
  };
}

function pullSecretOf(job: ContainerJob, labels: Record<string, string>): KubeObject | undefined {
  if (job.registries.every(({ username, password }) => username === "" && password === "")) return undefined;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `${job.name}-pull`, namespace: job.namespace, labels },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": base64(dockerConfig(job.registries)) },
  };
}

function clusterScopedOwnersOf(job: ContainerJob, labels: Record<string, string>): JobManifest["claims"] {
  return job.volumes.flatMap(({ claim }) => {
    if (claim.kind === "existing") return [];
    const { name, sizeGib, storageClass, accessMode, temporary } = claim;
    const spec = {
      accessModes: [accessMode],
      resources: { requests: { storage: `${sizeGib}Gi` } },
      ...(storageClass !== "" && { storageClassName: storageClass }),
    };
    const metadata = { name, namespace: job.namespace, ...(temporary && { labels }) };
    return [{ claim: { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec }, temporary }];
  });
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
