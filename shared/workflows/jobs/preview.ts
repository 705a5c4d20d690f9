import type { EnvironmentName } from "../../environments/requireEnvironment.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { TaskActor } from "../records/task.ts";

/** A job task as it would run now. What only a run can know stays in its texts as the written variable. */
export interface PreviewedJob {
  projectKey: string;
  /** What its runner would be given, credentials among it. */
  run: Record<string, unknown>;
  creator: TaskActor;
}

/** The image of a module now and afterwards; empty where there is none, or where only a run can know it. */
export interface ModulePreview {
  name: string;
  now: string;
  next: string;
}

/** What a look at the cluster shows. */
export interface ServiceLook {
  /** Of the service, where only the cluster knows which one it is. */
  name?: string;
  modules: readonly ModulePreview[];
  objects: readonly ObjectPreview[];
  notes?: readonly string[];
}

/** What a job does to one service, or to one object that belongs to none. */
export interface ServicePreview {
  /** Empty where only the cluster knows it. */
  name: string;
  /** In a few words. */
  action: string;
  /** What only a run can know. */
  notes: readonly string[];
  /** @throws ApiError, EnvironmentProblem and ClusterError as the job itself would fail */
  look(): Promise<ServiceLook>;
}

/** What a job would do to one environment: a name as the job has it, whether there is one or not. */
export interface EnvironmentPreview extends EnvironmentName {
  /** Others that share its namespace: the caller must be allowed to look at them too. */
  beside?: readonly EnvironmentName[];
  services: readonly ServicePreview[];
}

/**
 * Finds out what a kind of job would do, by what its runner does it with; nothing is written.
 * @throws EnvironmentProblem where the job may not work
 */
export type JobPreviewer = (job: PreviewedJob) => Promise<EnvironmentPreview[]>;
