import type { LiveObject } from "../client/ClusterClient.ts";

/** The fields of live objects that status and detail read, as the API server sends them. Absent numbers mean 0. */

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface Container {
  name: string;
  image?: string;
  ports?: { containerPort: number; protocol?: string; name?: string; hostPort?: number; hostIP?: string }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { reason?: string; message?: string; exitCode?: number; startedAt?: string; finishedAt?: string };
}

export interface ContainerStatus {
  name: string;
  image?: string;
  ready?: boolean;
  restartCount?: number;
  state?: ContainerState;
  /** Before it was started again. */
  lastState?: ContainerState;
}

export interface PodSpec {
  initContainers?: Container[];
  containers?: Container[];
  ephemeralContainers?: Container[];
  nodeName?: string;
}

export type LivePod = LiveObject & {
  spec?: PodSpec;
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    hostIP?: string;
    /** When its node took it. */
    startTime?: string;
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
};

/** Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CloneSet. */
export type LiveWorkload = LiveObject & {
  spec?: {
    replicas?: number;
    selector?: LabelSelector;
    paused?: boolean;
    suspend?: boolean;
    template?: { metadata?: { labels?: Record<string, string> }; spec?: PodSpec };
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    updatedReplicas?: number;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberReady?: number;
    active?: number;
    succeeded?: number;
  };
};

export type LiveCronJob = LiveObject & {
  spec?: {
    schedule?: string;
    suspend?: boolean;
    jobTemplate?: { spec?: { template?: { spec?: PodSpec } } };
  };
  status?: { active?: unknown[]; lastScheduleTime?: string };
};

export type LiveService = LiveObject & {
  spec?: { ports?: { name?: string; port: number; nodePort?: number; protocol?: string }[]; type?: string };
};

interface IngressBackend {
  service?: { name?: string; port?: { number?: number; name?: string } };
}

export type LiveIngress = LiveObject & {
  spec?: {
    defaultBackend?: IngressBackend;
    rules?: { host?: string; http?: { paths?: { path?: string; pathType?: string; backend?: IngressBackend }[] } }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
};

export function isPod(object: LiveObject): object is LivePod {
  return object.kind === "Pod" && object.apiVersion === "v1";
}

const workloadKinds = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CloneSet"]);

export function isWorkload(object: LiveObject): object is LiveWorkload {
  return workloadKinds.has(object.kind) && /^(apps|batch|apps\.kruise\.io)\//.test(object.apiVersion);
}

export function isCronJob(object: LiveObject): object is LiveCronJob {
  return object.kind === "CronJob" && object.apiVersion.startsWith("batch/");
}

export function isService(object: LiveObject): object is LiveService {
  return object.kind === "Service" && object.apiVersion === "v1";
}

export function isIngress(object: LiveObject): object is LiveIngress {
  return object.kind === "Ingress" && object.apiVersion === "networking.k8s.io/v1";
}
