import type { Dict, KubeObject, LabelSelector, Metadata } from "./object.ts";

/** The parts of the built-in kinds that the controllers read and write. */
export interface PodTemplate {
  metadata?: Partial<Metadata>;
  spec: PodSpec;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  restartPolicy?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: { prefix?: string; configMapRef?: SourceRef; secretRef?: SourceRef }[];
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
  ports?: { name?: string; containerPort: number; protocol?: string }[];
  restartPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  [field: string]: unknown;
}

export interface SourceRef {
  name: string;
  optional?: boolean;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: SourceRef & { key: string };
    secretKeyRef?: SourceRef & { key: string };
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: Dict;
  };
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface Volume {
  name: string;
  emptyDir?: Dict;
  configMap?: { name: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  secret?: { secretName: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  persistentVolumeClaim?: { claimName: string };
  projected?: { sources?: Dict[] };
  downwardAPI?: Dict;
  [source: string]: unknown;
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason: string;
    message?: string;
    signal?: number;
    startedAt: string;
    finishedAt: string;
    containerID?: string;
  };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  hostIP?: string;
  podIP?: string;
  startTime?: string;
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status: PodStatus;
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas: number; selector: LabelSelector; template: PodTemplate; minReadySeconds?: number };
  status: {
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    fullyLabeledReplicas?: number;
    observedGeneration?: number;
  };
}

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    paused?: boolean;
    minReadySeconds?: number;
    progressDeadlineSeconds?: number;
    revisionHistoryLimit?: number;
    strategy: { type: string; rollingUpdate?: { maxSurge: number | string; maxUnavailable: number | string } };
  };
  status: { conditions?: Condition[]; [field: string]: unknown };
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
    volumeClaimTemplates?: KubeObject[];
    revisionHistoryLimit?: number;
    ordinals?: { start?: number };
  };
  status: Dict;
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string };
  };
  status: Dict;
}

export interface Job extends KubeObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    completionMode?: string;
    selector: LabelSelector;
    template: PodTemplate;
  };
  status: {
    conditions?: Condition[];
    startTime?: string;
    completionTime?: string;
    active?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    terminating?: number;
    uncountedTerminatedPods?: Dict;
    completedIndexes?: string;
  };
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    suspend?: boolean;
    concurrencyPolicy?: string;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata?: Partial<Metadata>; spec: Dict };
  };
  status: { active?: Dict[]; lastScheduleTime?: string; lastSuccessfulTime?: string };
}
