import { rolloutOwner } from "../../../environments/store/rollouts.ts";
import type { JobRun } from "../runner.ts";
import type { Analysis } from "./analysis/analyses.ts";

/** Minutes for new pods to become ready, where a job states none. */
export const rolloutMinutes = 10;

interface Images {
  /** What is looked at before the workload is rolled; absent: nothing. */
  analysis?: Analysis[];
  /** The job that deploys. */
  deployJob: string;
  images: { container: string; image: string }[];
}

/** The Deployment of a service of an environment. */
export interface BlueGreenRun extends Images {
  mode?: undefined;
  env: string;
  production: boolean;
  service: string;
}

/** The Deployment behind a Service of a namespace. */
export interface CanaryRun extends Images {
  mode: "canary";
  /** Empty: the cluster of the project's environment in that namespace. */
  clusterId: string;
  namespace: string;
  kubeService: string;
  /** 1 to 100. */
  percentage: number;
}

/** A Deployment of a namespace, by its name. */
export interface NamedPlace {
  mode: "gray" | "istio";
  /** Empty: the cluster of the project's environment in that namespace. */
  clusterId: string;
  namespace: string;
  workload: string;
}

/** A step of a gray release. */
export interface GrayRun extends Images, NamedPlace {
  mode: "gray";
  /** The job whose step it is; `deployJob` is the first one's. */
  job: string;
  /** Per cent of the pods that are new after it; 100 ends the release. */
  scale: number;
}

/** A step of a release by Istio. */
export interface IstioRun extends Images, NamedPlace {
  mode: "istio";
  /** The job whose step it is; `deployJob` is the first one's. */
  job: string;
  /** Per cent of the calls that new pods get after it; 100 ends the release. */
  weight: number;
  /** How many new pods there are for 100 of the workload. */
  percentage: number;
  /** Which VirtualService leads calls to the workload, and at which host; empty where that is not said. */
  virtualService: string;
  host: string;
}

/** What runners of rollouts need. */
export type RolloutRun = BlueGreenRun | CanaryRun | GrayRun | IstioRun;

export function rolloutRunOf({ run }: JobRun): RolloutRun {
  return run as unknown as RolloutRun;
}

/** As `rolloutRunOf`, in a job of a gray release. */
export function grayRunOf({ run }: JobRun): GrayRun {
  return run as unknown as GrayRun;
}

/** As `rolloutRunOf`, in a job of a release by Istio. */
export function istioRunOf({ run }: JobRun): IstioRun {
  return run as unknown as IstioRun;
}

/** As `rolloutRunOf`, in a job that rolls back. */
export function namedPlaceOf({ run }: JobRun): NamedPlace {
  return run as unknown as NamedPlace;
}

/** The task, as the record of a rollout names it. */
export function ownerOfRun({ task }: JobRun): string {
  return rolloutOwner(task.owner.id, task.taskId);
}
