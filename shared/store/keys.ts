/** Where an item stands in the table. */
export interface Key {
  pk: string;
  sk: string;
}

export type ServiceKind = "test" | "production";

/**
 * Every key of the table in one place. Parts that users choose come last or are restricted by their own grammar, so
 * that two records never share a key.
 */
export const keys = {
  user: (uid: string): Key => ({ pk: `user#${uid}`, sk: "profile" }),
  /** Uniqueness of (account, identity type); accounts that differ only by case are the same. */
  account: (identityType: string, account: string): Key => ({
    pk: `account#${identityType}#${account.toLowerCase()}`,
    sk: "account",
  }),
  /** Made with the first user; its presence says that the installation is initialized. */
  initialized: (): Key => ({ pk: "system", sk: "initialized" }),
  token: (hash: string): Key => ({ pk: `token#${hash}`, sk: "token" }),
  /** What a subject (`user#<uid>` or `group#<id>`) holds in a namespace. */
  grant: (subject: string, namespace: string): Key => ({ pk: subject, sk: `grant#${namespace}` }),
  role: (namespace: string, name: string): Key => ({ pk: `roles#${namespace}`, sk: `role#${name}` }),
  loginFailures: (of: "account" | "address", name: string): Key => ({ pk: `failures#${of}#${name}`, sk: "failures" }),
  counter: (name: string): Key => ({ pk: `counter#${name}`, sk: "counter" }),

  project: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "project" }),
  projectName: (name: string): Key => ({ pk: `project-name#${name}`, sk: "name" }),
  projectGlobals: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "globals" }),

  service: (projectKey: string, kind: ServiceKind, name: string): Key => ({
    pk: `service#${projectKey}#${kind}#${name}`,
    sk: "latest",
  }),
  serviceRevision: (projectKey: string, kind: ServiceKind, name: string, revision: number): Key => ({
    pk: `service#${projectKey}#${kind}#${name}`,
    sk: `revision#${padded(revision)}`,
  }),
  /** Outlives the service: a service made again under its old name continues the numbering (contract P 2.4). */
  serviceName: (projectKey: string, kind: ServiceKind, name: string): Key => ({
    pk: `service#${projectKey}#${kind}#${name}`,
    sk: "name",
  }),

  yamlTemplate: (templateId: string): Key => ({ pk: `yaml-template#${templateId}`, sk: "template" }),
  yamlTemplateName: (name: string): Key => ({ pk: `yaml-template-name#${name}`, sk: "name" }),
  /** There since a service was made to follow the template; says so for longer than the service does. */
  templateFollower: (templateId: string, projectKey: string, kind: ServiceKind, name: string): Key => ({
    pk: `yaml-template#${templateId}`,
    sk: `follower#${projectKey}#${kind}#${name}`,
  }),
  label: (labelId: string): Key => ({ pk: `label#${labelId}`, sk: "label" }),
  /** The keys of all labels by their ids: one small read names whatever labels a service has. */
  labelKeys: (): Key => ({ pk: "label-keys", sk: "keys" }),

  /** An environment and its services share the prefix `env`, so that one query reads them and nothing else. */
  environment: (projectKey: string, envKey: string): Key => ({ pk: `environment#${projectKey}#${envKey}`, sk: "env" }),
  environmentService: (projectKey: string, envKey: string, service: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `env#service#${service}`,
  }),
  /** What was last applied of a service: the text and the objects. */
  environmentManifest: (projectKey: string, envKey: string, service: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `manifest#${service}`,
  }),
  /** A version of a service in its environment; lists read these and not their contents. */
  environmentVersion: (projectKey: string, envKey: string, service: string, revision: number): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `${versionPrefix(service)}${padded(revision)}`,
  }),
  environmentVersionContent: (projectKey: string, envKey: string, service: string, revision: number): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `version-content#${service}#${padded(revision)}`,
  }),
  /** Sorts before `env`, so that one query reads an environment with its configurations and nothing else. */
  environmentConfig: (projectKey: string, envKey: string, configType: string, name: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `config#${configType}#${name}`,
  }),
  environmentConfigChange: (
    projectKey: string,
    envKey: string,
    configType: string,
    name: string,
    revision: number,
  ): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `history#config#${configType}#${name}#${padded(revision)}`,
  }),
  /** Every rollback of a service in an environment, in the order of time; it outlives the environment. */
  rollback: (projectKey: string, at: number, changeId: string, service: string): Key => ({
    pk: `rollbacks#${projectKey}`,
    sk: `${padded(at)}#${changeId}#${service}`,
  }),
  environmentRegistry: (projectKey: string, envKey: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: "registry",
  }),
  change: (changeId: string): Key => ({ pk: `change#${changeId}`, sk: "change" }),
  changePlan: (changeId: string, service: string): Key => ({ pk: `change#${changeId}`, sk: `plan#${service}` }),
  readinessWait: (clusterId: string, waitId: string): Key => ({ pk: `waits#${clusterId}`, sk: waitId }),
  lease: (name: string): Key => ({ pk: `lease#${name}`, sk: "lease" }),

  cluster: (clusterId: string): Key => ({ pk: `cluster#${clusterId}`, sk: "cluster" }),
  clusterName: (name: string): Key => ({ pk: `cluster-name#${name}`, sk: "name" }),
  registry: (registryId: string): Key => ({ pk: `registry#${registryId}`, sk: "registry" }),
  /** There while pull secrets that come from the registry have to be written again. */
  registryRefresh: (registryId: string): Key => ({ pk: `registry#${registryId}`, sk: "refresh" }),
  defaultRegistry: (): Key => ({ pk: "default-registry", sk: "default" }),

  operationLog: (sequence: number): Key => ({ pk: "operation-log", sk: padded(sequence) }),
  idempotency: (hash: string): Key => ({ pk: `idempotency#${hash}`, sk: "idempotency" }),
} as const;

/** Sort keys of the versions of one service begin so. */
export function versionPrefix(service: string): string {
  return `version#${service}#`;
}

/** Partition keys of the index `list`. */
export const lists = {
  projects: "projects",
  clusters: "clusters",
  registries: "registries",
  yamlTemplates: "yaml-templates",
  labels: "labels",
  services: (projectKey: string, kind: ServiceKind): string => `services#${projectKey}#${kind}`,
  environments: (projectKey: string): string => `environments#${projectKey}`,
} as const;

/** Partition keys of the index `references`: who refers to this. */
export const references = {
  namespace: (namespace: string): string => `namespace#${namespace}`,
  cluster: (clusterId: string): string => `cluster#${clusterId}`,
  registry: (registryId: string): string => `registry#${registryId}`,
  /** Every service name that a project ever had, of both kinds. */
  services: (projectKey: string): string => `project-services#${projectKey}`,
} as const;

/** Partition keys of the index `due`; the sort key is the time of the deadline. */
export const dues = {
  changes: "changes",
  serviceRemovals: "service-removals",
  projectDeletions: "project-deletions",
  registryRefreshes: "registry-refresh",
  templateSyncs: "template-syncs",
} as const;

/** Numbers in sort keys keep their order as text up to 999,999,999,999. */
export function padded(number: number): string {
  return String(number).padStart(12, "0");
}
