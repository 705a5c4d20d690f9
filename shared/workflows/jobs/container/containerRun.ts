import type { Repository } from "../../definition/script/repository.ts";
import type { StorageProperty } from "../../definition/script/storage.ts";
import type { ContainerResources, EnvironmentVariable } from "../../pods/rules/containerJob.ts";

/** A variable of a job: of a credential the value is a variable of `PlanScope.keepSecret`. */
export interface RunVariable extends EnvironmentVariable {
  isCredential: boolean;
}

/** Where and how a job runs, whatever form it was configured in. */
export interface RunSettings {
  timeoutMinutes: number;
  clusterId: string;
  /** Of its project, as it was when the task was planned; absent in tasks of earlier versions. */
  namespace?: string;
  /** Empty: the cluster's default. */
  strategyId: string;
  resources: ContainerResources;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  storages: readonly StorageProperty[];
  shareStorages: readonly { name: string; path: string }[];
  hostDocker: boolean;
  privileged: boolean;
  /** Directory of the cache, empty for the whole workspace; undefined: none. */
  cacheDirectory?: string;
}

/** What the plan of every job in a container says; its values are complete once the variables are replaced. */
export interface ContainerRun {
  /** Why it cannot run here, as a sentence; empty when it can. */
  refusal: string;
  repositories: readonly Repository[];
  /** What the kind of job gives its scripts (contract W 11.4). */
  facts: readonly EnvironmentVariable[];
  /** Parameters of the workflow, then the job's own: a later one of the same name wins. */
  variables: readonly RunVariable[];
  outputs: readonly string[];
  settings: RunSettings;
  ignoreCache: boolean;
  /** Shared by all runs of what this is a job of. */
  cacheName: string;
}

/** A run of a script in an image of the user's. */
export interface ScriptRun extends ContainerRun {
  image: string;
  packages: readonly { name: string; version: string }[];
  script: string;
}
