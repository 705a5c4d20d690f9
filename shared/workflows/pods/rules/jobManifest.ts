import type { KubeObject } from "../../../manifest/parseManifest.ts";
import { dockerConfig } from "./buildkitConfig.ts";
import type { ContainerJob, PodPlacement } from "./containerJob.ts";
import { ContainerJobInvalid } from "./containerJobInvalid.ts";
import { entries, type SignedAddresses, secretContent } from "./jobSecret.ts";
import { jobLabel } from "./marks.ts";
import { absolutePath } from "./paths.ts";
import { podVolumes } from "./podVolumes.ts";
import { finish } from "./scripts/finish.ts";
import { restoreCache, saveCache } from "./scripts/uploadFiles.ts";
import { asRoot, container, type PodContext, stepContainer, type ToolImages } from "./stepContainer.ts";

/** Most bytes of a Secret; the API server refuses more than 1 MiB. */
const maxSecretBytes = 1_000_000;

/** What no cluster would run, said before one is asked. @throws ContainerJobInvalid */
function checkJob(job: ContainerJob): void {
  for (const { name } of [...job.env, ...job.secretEnv]) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
      refuse(`variable ${JSON.stringify(name)}: names consist of letters, digits, _ . - and do not begin with a digit`);
  }
  for (const { name, value } of [...job.env, ...job.secretEnv])
    if (value.includes("\0")) refuse(`variable ${name} holds a zero byte`);
  for (const name of job.outputs)
    if (!/^[a-zA-Z0-9_]{1,64}$/.test(name))
      refuse(`output ${JSON.stringify(name)}: names hold 1 to 64 letters, digits and _`);
  const names = job.steps.map(({ name }) => name);
  for (const name of names)
    if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) || names.indexOf(name) !== names.lastIndexOf(name))
      refuse(`step ${JSON.stringify(name)}: names are unique and consist of 1 to 40 of a-z 0-9 -`);
  for (const step of job.steps) {
    if ("image" in step && !/^[A-Za-z0-9][^\s"',]*$/.test(step.image))
      refuse(`step ${step.name}: ${JSON.stringify(step.image)} is not an image reference`);
    for (const { name, version } of step.kind === "script" ? step.packages : [])
      if (!/^[A-Za-z0-9][A-Za-z0-9.+_:-]*$/.test(name) || !/^[A-Za-z0-9.+_:~-]*$/.test(version))
        refuse(`package ${JSON.stringify(`${name} ${version}`.trim())} has no name or version of a package`);
  }
}

/** @throws ContainerJobInvalid when scripts and variables together are too much for one Secret */
function checkSecretSize(content: Readonly<Record<string, string>>): void {
  const bytes = Object.values(content).reduce((total, text) => total + Buffer.byteLength(text), 0);
  if (bytes > maxSecretBytes)
    refuse(`scripts and credentials of the job have ${bytes} bytes; at most ${maxSecretBytes} fit`);
}

function refuse(message: string): never {
  throw new ContainerJobInvalid(message);
}

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

/** The part of a pod's spec that says where it may run. */
function podPlacement({ nodeLabels, strategy, tolerations }: PodPlacement): Record<string, unknown> {
  const matchExpressions = expressionsOf(nodeLabels);
  return {
    ...(tolerations.length > 0 && { tolerations }),
    ...(matchExpressions.length > 0 && strategy !== "normal" && { affinity: affinity(strategy, { matchExpressions }) }),
  };
}

function affinity(strategy: "required" | "preferred", term: object): object {
  const nodeAffinity =
    strategy === "required"
      ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference: term }] };
  return { nodeAffinity };
}

/** Values of one key are alternatives; keys must all match. */
function expressionsOf(labels: readonly string[]): { key: string; operator: "In"; values: string[] }[] {
  const values = new Map<string, string[]>();
  for (const label of labels) {
    const [, key = "", value = ""] = /^([^=:]+)[=:](.*)$/.exec(label) ?? [];
    if (key !== "") values.set(key.trim(), [...(values.get(key.trim()) ?? []), value.trim()]);
  }
  return [...values].map(([key, found]) => ({ key, operator: "In" as const, values: found }));
}
