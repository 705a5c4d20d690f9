/**
 * Everything that one job task runs as one Kubernetes Job (contract W 11, decisions 7.4): plain data, complete, with every
 * variable replaced. Its pod has the steps as init containers, in order, over a shared `/workspace`; the main container
 * brings the script's exit code, the outputs and the report out. After a failed step only steps marked `always` run.
 */
export interface ContainerJob {
  /** 24 hex characters; every object has it as the label `slipway.dev/job`. */
  jobRecordId: string;
  /** Made by `containerJobName`; the same for every repetition of one attempt. */
  name: string;
  clusterId: string;
  /** Of the project (decisions 17.6); of tasks that earlier versions planned, one that all share. */
  namespace: string;
  /** The job task's name; `mainContainerName` makes the main container's name of it. */
  jobTaskName: string;
  /** The job's type, for example `zadig-build`: becomes the label `s-type`. */
  jobType: string;
  steps: readonly ContainerStep[];
  /** What every script sees, in this order; a later one of the same name wins. Credentials do not belong here. */
  env: readonly EnvironmentVariable[];
  /** The same for credentials: they are in the job's Secret, and their values are masked wherever they appear. */
  secretEnv: readonly EnvironmentVariable[];
  /** Texts that are masked in logs and sentences beside the values of `secretEnv` and of the credentials below. */
  masks: readonly string[];
  /** Declared names; each is a variable of the script when it ends, or a file `/zadig/results/<NAME>` (contract W 7). */
  outputs: readonly string[];
  /** Folder of JUnit files, in `/workspace` unless absolute; its `*.xml` come back in `CollectedJob.report`. */
  reportDirectory?: string;
  /** Minutes; 0 and less are 600 (contract W 8.7). The deadline is the caller's; the cluster ends the Job an hour later. */
  timeoutMinutes: number;
  resources: ContainerResources;
  placement: PodPlacement;
  /** May not override the labels of contract W 11.1. */
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  volumes: readonly JobVolume[];
  cache?: JobCache;
  /** The workflow's `ignore_cache`: the cache is neither read nor written. */
  ignoreCache: boolean;
  /** Scripts run in privileged containers. */
  privileged: boolean;
  /** The node's `/var/run/docker.sock` is mounted into scripts. */
  hostDocker: boolean;
  /** What images are pulled with and pushed to. */
  registries: readonly JobRegistry[];
}

export interface EnvironmentVariable {
  name: string;
  value: string;
}

/** `name` of a step (at most 40 of `a-z 0-9 -`, unique in the job) names its container and is used in messages. */
export type ContainerStep = GitStep | ScriptStep | CommandStep | ImageBuildStep | ArchiveStep;

/** Clones repositories one after the other into the workspace (contract W 11.3). */
export interface GitStep {
  kind: "git";
  name: string;
  repositories: readonly JobRepository[];
}

export interface JobRepository {
  /** `https://host/owner/name.git`, `ssh://…` or `git@host:owner/name.git`; without credentials. */
  address: string;
  access: GitAccess;
  /** Folder below `/workspace`. */
  checkoutPath: string;
  /** `origin` unless the definition says otherwise. */
  remoteName: string;
  /** What is fetched is the first of these that is not empty: tag, commit, branch, pull requests. */
  tag: string;
  commitId: string;
  branch: string;
  /** Merged onto it one after the other. */
  mergeBranches: readonly string[];
  pullRequests: readonly number[];
  /** Where the code host has the heads of pull requests, below `refs/`. */
  pullRefs: string;
  submodules: boolean;
  /** The server's certificate is not checked. */
  disableSsl: boolean;
  /** What later steps find the commit's id in when it has no value (contract W 11.4); empty: nowhere. */
  commitVariable: string;
}

export type GitAccess =
  | { kind: "none" }
  /** For a token without user name any name does: `oauth2`. */
  | { kind: "password"; username: string; password: string }
  | { kind: "ssh"; privateKey: string };

/** Runs a script in an image of the user's, in which nothing but `sh` is needed; `bash` runs it where there is one. */
export interface ScriptStep {
  kind: "script";
  name: string;
  image: string;
  script: string;
  /** Installed by the image's own package manager before the script (contract W 11.2 step 1). */
  packages: readonly { name: string; version: string }[];
  /** Runs after a failed step too. */
  always?: boolean;
}

/**
 * Runs an image as it is, without the environment of a script's shell: a plugin. Without command it is the image's own, and
 * then a failed step ends the job at once, without outputs and report. `$(NAME)` is not expanded. A masked text in command or
 * arguments reaches the container through the Secret.
 */
export interface CommandStep {
  kind: "command";
  name: string;
  image: string;
  command: readonly string[];
  args: readonly string[];
}

/** Builds an image with BuildKit and pushes it (contract W 11.6). */
export interface ImageBuildStep {
  kind: "imageBuild";
  name: string;
  /** The full reference that is pushed. */
  image: string;
  /** Below `/workspace` unless absolute; `$NAME` is replaced by variables of `env`. Empty: the workspace. */
  contextDirectory: string;
  /** Path of the Dockerfile, below the context unless absolute; empty: `Dockerfile`. */
  dockerfile: string;
  /** Text of a template that is built instead of a file of the repository. */
  dockerfileText?: string;
  /** As for `docker build`: `--build-arg A=1 --target x --no-cache …`; `buildArguments` says what is understood. */
  buildArgs: string;
  /** `linux/amd64,linux/arm64`; empty: the node's. */
  platforms: string;
  /** Reference of the registry cache; empty: none. */
  cacheImage: string;
}

/** Puts files into the object store, over addresses signed for this job. */
export interface ArchiveStep {
  kind: "archive";
  name: string;
  uploads: readonly ArchiveUpload[];
  always?: boolean;
}

export interface ArchiveUpload {
  /** File or folder, below `/workspace` unless absolute; a folder becomes a `.tar.gz`. */
  path: string;
  /** Key in the object store, under `jobs/`. */
  objectKey: string;
  /** A path that does not exist fails the step. */
  required: boolean;
}

/** Of the scripts' containers, in m and Mi; absent numbers ask for nothing. */
export interface ContainerResources {
  cpuLimitMilli?: number;
  memoryLimitMib?: number;
  cpuRequestMilli?: number;
  memoryRequestMib?: number;
  /** `<resource name>: <n>`; empty: none. */
  gpuLimit: string;
}

/** From a strategy of the cluster, by `placementOf`. */
export interface PodPlacement {
  /** `key=value` or `key:value`; of several values of one key a node needs one. */
  nodeLabels: readonly string[];
  /** Whether nodes must have the labels, should, or need not. */
  strategy: "normal" | "required" | "preferred";
  /** As in a pod. */
  tolerations: readonly object[];
}

/** A claim that is mounted into every script (decisions 7.7); share storages too. */
export interface JobVolume {
  path: string;
  /** Empty: the whole claim. */
  subpath: string;
  claim:
    | { kind: "existing"; name: string }
    | {
        kind: "made";
        /** Of the claim that is made unless it is there. */
        name: string;
        sizeGib: number;
        /** Empty: the cluster's default. */
        storageClass: string;
        accessMode: "ReadWriteOnce" | "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOncePod";
        /** Goes with the Job. */
        temporary: boolean;
      };
}

/** A folder that is the same in the next run (contract W 11.6). */
export interface JobCache {
  /** `/workspace`, or any other absolute path. */
  directory: string;
  medium: { kind: "object"; objectKey: string } | { kind: "claim"; name: string; subpath: string };
}

export interface JobRegistry {
  /** As the registry's record has it, with its scheme. */
  address: string;
  /** Both empty: without signing in. */
  username: string;
  password: string;
  /** PEM certificates that are trusted for it; empty: the public ones. */
  tlsCertificate: string;
  /** False: a certificate is not asked for, and `http:` is tried. */
  tlsEnabled: boolean;
}

/** Where a job's objects are; everything that is asked about a job later. */
export interface ContainerJobRef {
  clusterId: string;
  namespace: string;
  name: string;
  jobRecordId: string;
}
