import { buildkitConfig, certificateFiles, dockerConfig } from "./buildkitConfig.ts";
import type { ContainerJob } from "./containerJob.ts";
import { maskVariables } from "./credentialMarks.ts";
import { gitVariables } from "./gitVariables.ts";
import { isAccessKey } from "./jobVariables.ts";

/** Addresses that let a pod write and read one object for a while, by the object's key. */
export type SignedAddresses = ReadonlyMap<string, { put: string; get: string }>;

/** Names of the entries of a job's Secret. */
export const entries = {
  script: (step: string): string => `script-${step}`,
  variable: (name: string): string => `env-${name}`,
  repository: (step: string, variable: string): string => `git-${step}-${variable}`,
  upload: (step: string, at: number): string => `upload-${step}-${at}`,
  dockerfile: (step: string): string => `dockerfile-${step}`,
  cacheGet: "cache-get",
  cachePut: "cache-put",
  dockerConfig: "docker-config",
  buildkit: "buildkitd.toml",
  /** JSON list of what is masked in this job's log. */
  masks: "masks",
} as const;

/** Everything of a job that only its pod may read, by the entries of its Secret. */
export function secretContent(job: ContainerJob, signed: SignedAddresses): Record<string, string> {
  // Their texts are arguments, which are in the Job itself.
  const hasArguments = job.steps.some(({ kind }) => kind === "command" || kind === "imageBuild");
  const variables = [
    ...(hasArguments ? Object.entries(maskVariables(job.masks)) : []),
    ...job.secretEnv.map(({ name, value }) => [name, value] as const),
  ];
  return {
    ...Object.fromEntries(variables.map(([name, value]) => [entries.variable(name), value])),
    ...Object.assign({}, ...job.steps.map((step) => stepContent(step, signed))),
    ...cacheContent(job, signed),
    ...(job.steps.some(({ kind }) => kind === "imageBuild") && {
      [entries.dockerConfig]: dockerConfig(job.registries),
      [entries.buildkit]: buildkitConfig(job.registries),
      ...certificateFiles(job.registries),
    }),
    [entries.masks]: JSON.stringify(masksOf(job, signed)),
  };
}

function stepContent(step: ContainerJob["steps"][number], signed: SignedAddresses): Record<string, string> {
  switch (step.kind) {
    case "script":
      return { [entries.script(step.name)]: step.script };
    case "git": {
      const { secret, keyFiles } = gitVariables(step);
      const named = Object.entries({ ...secret, ...keyFiles });
      return Object.fromEntries(named.map(([name, value]) => [entries.repository(step.name, name), value]));
    }
    case "imageBuild":
      return step.dockerfileText === undefined ? {} : { [entries.dockerfile(step.name)]: step.dockerfileText };
    case "archive":
      return Object.fromEntries(
        step.uploads.map(({ objectKey }, at) => [entries.upload(step.name, at), signed.get(objectKey)?.put ?? ""]),
      );
    case "command":
      return {};
  }
}

function cacheContent(job: ContainerJob, signed: SignedAddresses): Record<string, string> {
  const medium = job.ignoreCache ? undefined : job.cache?.medium;
  if (medium?.kind !== "object") return {};
  const { put = "", get = "" } = signed.get(medium.objectKey) ?? {};
  return { [entries.cacheGet]: get, [entries.cachePut]: put };
}

/** Keys of the objects that the job's pod writes or reads. */
export function signedKeys(job: ContainerJob): string[] {
  const uploads = job.steps.flatMap((step) => (step.kind === "archive" ? step.uploads : []));
  const medium = job.ignoreCache ? undefined : job.cache?.medium;
  return [...uploads.map(({ objectKey }) => objectKey), ...(medium?.kind === "object" ? [medium.objectKey] : [])];
}

function masksOf(job: ContainerJob, signed: SignedAddresses): string[] {
  const accesses = job.steps
    .flatMap((step) => (step.kind === "git" ? step.repositories : []))
    .map(({ access }) => access);
  const credentials = accesses.flatMap((access) => {
    if (access.kind === "password") return [access.password];
    return access.kind === "ssh" ? [access.privateKey] : [];
  });
  const addresses = [...signed.values()].flatMap(({ put, get }) => [put, get]);
  const registries = job.registries.flatMap(({ username, password }) =>
    password === "" ? [] : [password, Buffer.from(`${username}:${password}`).toString("base64")],
  );
  const variables = job.secretEnv.filter(({ name }) => !isAccessKey(name)).map(({ value }) => value);
  return [...new Set([...variables, ...job.masks, ...credentials, ...registries, ...addresses])].filter(
    (text) => text.trim() !== "",
  );
}
