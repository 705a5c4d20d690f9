import { named } from "./keyParts.ts";
import type { ServiceKind } from "./keys.ts";

/** Partition keys of the index `list`. */
export const lists = {
  users: "users",
  groups: "groups",
  projects: "projects",
  clusters: "clusters",
  registries: "registries",
  yamlTemplates: "yaml-templates",
  chartTemplates: "chart-templates",
  labels: "labels",
  integrations: (kind: string): string => `integrations#${kind}`,
  buildTemplates: "build-templates",
  definitions: (kind: string, projectKey: string): string => `definitions#${kind}#${projectKey}`,
  services: (projectKey: string, kind: ServiceKind): string => `services#${projectKey}#${kind}`,
  environments: (projectKey: string): string => `environments#${projectKey}`,
  workflows: (projectKey: string): string => `workflows#${projectKey}`,
  /** Of all projects, by their time. */
  rollbacks: "rollbacks",
  tasks: (ownerId: string): string => `tasks#${ownerId}`,
  releasePlans: "release-plans",
  /** Of all projects, in the order in which they were made. */
  allDeliveryVersions: "delivery-versions",
  deliveryVersions: (projectKey: string): string => `delivery-versions#${projectKey}`,
  /** Users bound to roles of a namespace. */
  bindings: (namespace: string): string => `bindings#${namespace}`,
  operationsOfEnvironment: (projectKey: string, environment: string): string =>
    `operations-of-environment#${named(projectKey)}#${named(environment)}`,
  operationsOfStatus: (status: number): string => `operations-of-status#${status}`,
  artifacts: "artifacts",
} as const;

/** Partition keys of the index `references`: who refers to this. */
export const references = {
  /** Users by the time of their last sign-in. */
  signIns: "sign-ins",
  cluster: (clusterId: string): string => `cluster#${clusterId}`,
  registry: (registryId: string): string => `registry#${registryId}`,
  /** Every service name that a project ever had, of both kinds. */
  services: (projectKey: string): string => `project-services#${projectKey}`,
  /** Triggers that what happens in a repository sets going. */
  repositoryTriggers: (codeHostId: string, path: string): string =>
    `repository-triggers#${codeHostId}#${path.toLowerCase()}`,
  /** Triggers that the ends of a workflow's tasks set going. */
  workflowTriggers: (workflowId: string): string => `workflow-triggers#${workflowId}`,
  operationsOfUser: (username: string): string => `operations-of-user#${named(username)}`,
  operationsOfChain: (chain: string): string => `operations-of-chain#${chain}`,
} as const;

/** Partition keys of the index `due`; the sort key is the time of the deadline. */
export const dues = {
  /** Users and groups whose belongings are still to be taken away. */
  identityRemovals: "identity-removals",
  changes: "changes",
  /** Waits of jobs, for containers and for workloads; sorted by their cluster. */
  jobWaits: "job-waits",
  tasks: "tasks",
  /** Projects that do not keep everything for ever; sorted by the time of the next sweep. */
  retentions: "retentions",
  /** Tasks that were removed and of which something is left. */
  taskRemovals: "task-removals",
  /** Workloads that a task rolls out, or did and has not given back. */
  rollouts: "rollouts",
  releasePlans: "release-plans",
  /** Versions whose images are under way, and those that are being taken away. */
  deliveryVersions: "delivery-versions",
  /** Approvals of jobs and stages at chat services, to be opened or to be taken back. */
  approvals: "approvals",
  serviceRemovals: "service-removals",
  projectDeletions: "project-deletions",
  registryRefreshes: "registry-refresh",
  templateSyncs: "template-syncs",
  collaborations: "collaborations",
  /** Configurations that follow a file; sorted by the time of the next look. */
  followedConfigs: "followed-configs",
  unsealedOperations: "unsealed-operations",
  sleepSchedules: "sleep-schedules",
  deliveries: "deliveries",
  /** Calls of hooks and times of crons that have started no task yet. */
  hookDeliveries: "hook-deliveries",
  cronTriggers: "cron-triggers",
  /** Artifacts whose registry has not said yet what they are. */
  artifacts: "artifacts",
} as const;
