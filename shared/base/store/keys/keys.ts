import { createHash } from "node:crypto";
import { named, padded } from "./keyParts.ts";

export { dues, lists, references } from "./indexKeys.ts";
export { padded } from "./keyParts.ts";

/** Where an item is in the table. */
export interface Key {
  pk: string;
  sk: string;
}

/** A task as its numbers name it. */
export interface TaskPlace {
  projectKey: string;
  workflowKey: string;
  taskId: number;
}

export type ServiceKind = "test" | "production";

const ofEnvironment = (projectKey: string, envKey: string, sk: string): Key => ({
  pk: `environment#${projectKey}#${envKey}`,
  sk,
});

/**
 * Every key of the table in one place. Parts that users choose come last or are restricted by their own grammar, so
 * that two records never share a key.
 */
export const keys = {
  /** A profile and the user's grants share the prefix `profile`; that of the namespace `*` comes right behind it. */
  user: (uid: string): Key => ({ pk: `user#${uid}`, sk: "profile" }),
  /** Uniqueness of (account, identity type); accounts that differ only by case are the same. */
  account: (identityType: string, account: string): Key => ({
    pk: `account#${identityType}#${account.toLowerCase()}`,
    sk: "account",
  }),
  /** The uid of a user of an identity provider, by a digest of issuer and subject. */
  subject: (digest: string): Key => ({ pk: `subject#${digest}`, sk: "subject" }),
  /** Made with the first user; its presence says that the installation is initialized. */
  initialized: (): Key => ({ pk: "system", sk: "initialized" }),
  token: (hash: string): Key => ({ pk: `token#${hash}`, sk: "token" }),
  /** What a user's list of API tokens shows of one; separate from the profile, which every request reads. */
  apiToken: (uid: string, tokenId: string): Key => ({ pk: `tokens#${uid}`, sk: `token#${tokenId}` }),
  apiTokenName: (uid: string, name: string): Key => ({ pk: `tokens#${uid}`, sk: `name#${name}` }),
  /** A session in the list of its user's, in the partition of the tokens. */
  session: (uid: string, sessionId: string): Key => ({ pk: `tokens#${uid}`, sk: `session#${sessionId}` }),
  /** Beside the tokens, so that it goes with them when the user is deleted. */
  secondFactor: (uid: string): Key => ({ pk: `tokens#${uid}`, sk: "second-factor" }),
  secondFactorEnrolment: (uid: string): Key => ({ pk: `tokens#${uid}`, sk: "second-factor-enrolment" }),
  securitySettings: (): Key => ({ pk: "system", sk: "security" }),
  loginKey: (): Key => ({ pk: "system", sk: "login-key" }),
  concurrencySettings: (): Key => ({ pk: "system", sk: "concurrency" }),
  priceSettings: (): Key => ({ pk: "system", sk: "prices" }),
  group: (groupId: string): Key => ({ pk: `group#${groupId}`, sk: "group" }),
  groupName: (name: string): Key => ({ pk: `group-name#${name.toLowerCase()}`, sk: "name" }),
  /** Who belongs to the group; the user's profile says the same the other way round. */
  groupMember: (groupId: string, uid: string): Key => ({ pk: `group#${groupId}`, sk: `member#${uid}` }),
  /** What a subject (`user#<uid>` or `group#<id>`) holds in a namespace. */
  grant: (subject: string, namespace: string): Key => ({ pk: subject, sk: `profile#grant#${namespace}` }),
  /** Roles of a namespace and what groups hold there: one item, so that one batch reads it whatever the caller is. */
  policy: (namespace: string): Key => ({ pk: `policy#${namespace}`, sk: "policy" }),
  /** All collaboration modes of a project. */
  collaborations: (projectKey: string): Key => ({ pk: `collaborations#${projectKey}`, sk: "collaborations" }),
  /** A collaboration mode that names the subject; the project comes first, which holds no `#`. */
  modeMember: (subject: string, projectKey: string, mode: string): Key => ({
    pk: subject,
    sk: `profile#mode#${projectKey}#${mode}`,
  }),
  loginFailures: (of: "account" | "address" | "pair" | "code", name: string): Key => ({
    pk: `failures#${of}#${name}`,
    sk: "failures",
  }),
  counter: (name: string): Key => ({ pk: `counter#${name}`, sk: "counter" }),

  project: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "project" }),
  projectName: (name: string): Key => ({ pk: `project-name#${name}`, sk: "name" }),
  /** Whose signatures images of the project need. */
  projectVerification: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "verification" }),
  /** What the project may use and deploy beyond the default. */
  projectBoundary: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "boundary" }),
  /** The namespaces that boundaries name, of all projects: one item, so that no two of them can overlap. */
  boundaryNamespaces: (): Key => ({ pk: "boundary-namespaces", sk: "boundary-namespaces" }),
  /** Who is told of the project's delivery versions. */
  projectVersionHook: (projectKey: string): Key => ({ pk: `project#${projectKey}`, sk: "delivery-hook" }),
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
  templateFollower: (template: Key, projectKey: string, kind: ServiceKind, name: string): Key => ({
    pk: template.pk,
    sk: `follower#${projectKey}#${kind}#${name}`,
  }),
  chartTemplate: (name: string): Key => ({ pk: `chart-template#${name}`, sk: "template" }),
  label: (labelId: string): Key => ({ pk: `label#${labelId}`, sk: "label" }),
  /** The keys of all labels by their ids: one small read names whatever labels a service has. */
  labelKeys: (): Key => ({ pk: "label-keys", sk: "keys" }),

  /** All freezes of the installation: one item, so that a change of production reads them with what it reads anyway. */
  freezes: (): Key => ({ pk: "freezes", sk: "freezes" }),

  /** An environment and its services share the prefix `env`, so that one query reads them and nothing else. */
  environment: (projectKey: string, envKey: string): Key => ({ pk: `environment#${projectKey}#${envKey}`, sk: "env" }),
  environmentService: (projectKey: string, envKey: string, service: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `env#service#${service}`,
  }),
  /** A sub-environment, below its base. */
  subEnvironment: (projectKey: string, baseEnv: string, envKey: string): Key => ({
    pk: `environment#${projectKey}#${baseEnv}`,
    sk: `sub#${envKey}`,
  }),
  /** Who has an object that belongs to no namespace; its name comes last, which may hold a `#`. */
  clusterObject: (clusterId: string, kind: string, name: string): Key => ({
    pk: `clusterobject#${clusterId}#${kind}#${name}`,
    sk: "owners",
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
  followedConfig: (projectKey: string, envKey: string, configType: string, name: string): Key => ({
    pk: `environment#${projectKey}#${envKey}`,
    sk: `followed-config#${configType}#${name}`,
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
  /** What the workloads of an environment asked for before they were put to rest. */
  environmentSleep: (projectKey: string, envKey: string): Key => ofEnvironment(projectKey, envKey, "sleep"),
  environmentSleepSchedule: (projectKey: string, envKey: string): Key =>
    ofEnvironment(projectKey, envKey, "sleep-schedule"),
  environmentRegistry: (projectKey: string, envKey: string): Key => ofEnvironment(projectKey, envKey, "registry"),
  change: (changeId: string): Key => ({ pk: `change#${changeId}`, sk: "change" }),
  changePlan: (changeId: string, service: string): Key => ({ pk: `change#${changeId}`, sk: `plan#${service}` }),
  /** All waits of a cluster share a partition; the ids of these begin with the hex of a change. */
  readinessWait: (clusterId: string, waitId: string): Key => ({ pk: `waits#${clusterId}`, sk: waitId }),
  jobWait: (clusterId: string, namespace: string, name: string): Key => ({
    pk: `waits#${clusterId}`,
    sk: `${jobWaitPrefix}${namespace}#${name}`,
  }),
  /** How a wait of a job for workloads ended. */
  readinessOutcome: (waitId: string): Key => ({ pk: `readiness#${waitId}`, sk: "outcome" }),
  /** What one try of a job deploys. */
  jobDeploy: (tryName: string): Key => ({ pk: `job-deploy#${tryName}`, sk: "deploy" }),
  /** Who rolls a workload out; all of a namespace share a partition, so that one query tells of each. */
  rollout: (clusterId: string, namespace: string, workload: string): Key => ({
    pk: `rollout#${clusterId}#${namespace}`,
    sk: workload,
  }),
  /** What changed lately, of all projects, in the order of time. */
  changeEvent: (id: string): Key => ({ pk: "change-events", sk: id }),
  openStream: (place: number): Key => ({ pk: "open-streams", sk: padded(place) }),
  reconcilerCalls: { pk: "counter#reconciler", sk: "counter" } satisfies Key,
  lease: (name: string): Key => ({ pk: `lease#${name}`, sk: "lease" }),

  cluster: (clusterId: string): Key => ({ pk: `cluster#${clusterId}`, sk: "cluster" }),
  clusterName: (name: string): Key => ({ pk: `cluster-name#${name}`, sk: "name" }),
  registry: (registryId: string): Key => ({ pk: `registry#${registryId}`, sk: "registry" }),
  /** There while pull secrets that come from the registry have to be written again. */
  registryRefresh: (registryId: string): Key => ({ pk: `registry#${registryId}`, sk: "refresh" }),
  defaultRegistry: (): Key => ({ pk: "default-registry", sk: "default" }),

  /** A record that jobs refer to: a code host, a base image, … */
  integration: (kind: string, id: string): Key => ({ pk: `integration#${kind}#${id}`, sk: "record" }),
  /** Apart from the record, so that reading it brings nothing sealed. */
  integrationSecret: (kind: string, id: string, field: string): Key => ({
    pk: `integration#${kind}#${id}`,
    sk: `secret#${field}`,
  }),
  integrationName: (kind: string, name: string): Key => ({ pk: `integration-name#${kind}#${name}`, sk: "name" }),
  /** A build, a test or a code scan. Its secrets are separate, so that reading it brings nothing sealed. */
  definition: (kind: string, projectKey: string, name: string): Key => ({
    pk: `definition#${kind}#${projectKey}#${name}`,
    sk: "definition",
  }),
  definitionSecrets: (kind: string, projectKey: string, name: string): Key => ({
    pk: `definition#${kind}#${projectKey}#${name}`,
    sk: "secrets",
  }),
  /** Of a kind whose names are unique in the installation. */
  definitionName: (kind: string, name: string): Key => ({ pk: `definition-name#${kind}#${name}`, sk: "name" }),
  /** Which definitions a project has, to be read consistently when it is deleted. */
  definitionOfProject: (projectKey: string, kind: string, name: string): Key => ({
    pk: `definitions#${projectKey}`,
    sk: `${kind}#${name}`,
  }),
  buildTemplate: (id: string): Key => ({ pk: `build-template#${id}`, sk: "template" }),
  buildTemplateSecrets: (id: string): Key => ({ pk: `build-template#${id}`, sk: "secrets" }),
  buildTemplateName: (name: string): Key => ({ pk: `build-template-name#${name}`, sk: "name" }),
  /** Who refers to a record, in the record's own partition; `part` names a part of it, empty for the whole. */
  use: (record: Key, part: string, user: string): Key => ({ pk: record.pk, sk: `${usePrefix(part)}${user}` }),

  /** Workflow keys are unique in the installation; what refers to a workflow's record outlives it by the record id. */
  workflow: (workflowKey: string): Key => ({ pk: `workflow#${workflowKey}`, sk: "workflow" }),
  /** Apart from the record, so that reading it brings nothing sealed. */
  workflowCredentials: (workflowKey: string): Key => ({ pk: `workflow#${workflowKey}`, sk: "credentials" }),
  /** Records that the workflow refers to, as it was saved last. */
  workflowUses: (workflowKey: string): Key => ({ pk: `workflow#${workflowKey}`, sk: "uses" }),
  /** What starts the workflow by itself. */
  trigger: (workflowKey: string, kind: string, name: string): Key => ({
    pk: `triggers#${workflowKey}`,
    sk: `${kind}#${name}`,
  }),
  /** What set triggers of a workflow going, in the order of time; it belongs to the record, not to the key. */
  hookDelivery: (workflowId: string, deliveryId: string, kind: string, trigger: string): Key => ({
    pk: `hook-deliveries#${workflowId}`,
    sk: `${deliveryId}#${kind}#${trigger}`,
  }),
  /** A call of a hook, by a digest of what names it. */
  hookSeen: (digest: string): Key => ({ pk: `hook-seen#${digest}`, sk: "seen" }),
  /** The newest task that a trigger started for a pull request. */
  pullRequestRun: (workflowId: string, trigger: string, pullRequest: string): Key => ({
    pk: `pull-request-runs#${workflowId}`,
    sk: `${trigger}#${pullRequest}`,
  }),
  workflowView: (projectKey: string, name: string): Key => ({ pk: `workflow-views#${projectKey}`, sk: name }),
  /** Uniqueness of display names inside a project. */
  workflowName: (projectKey: string, displayName: string): Key => ({
    pk: `workflow-name#${projectKey}#${displayName}`,
    sk: "name",
  }),
  /** A task, its plan, and what became of its stages and jobs share a partition: one query reads a run. */
  task: (ownerId: string, taskId: number): Key => ({ pk: taskPartition(ownerId, taskId), sk: "task" }),
  taskPlan: (ownerId: string, taskId: number): Key => ({ pk: taskPartition(ownerId, taskId), sk: "plan" }),
  taskStage: (ownerId: string, taskId: number, stage: number): Key => ({
    pk: taskPartition(ownerId, taskId),
    sk: `stage#${padded(stage)}`,
  }),
  taskJob: (ownerId: string, taskId: number, name: string): Key => ({
    pk: taskPartition(ownerId, taskId),
    sk: `job#${name}`,
  }),
  /** What it was started with: apart, because only a retry reads it. */
  taskSnapshot: (ownerId: string, taskId: number): Key => ({
    pk: `task-snapshot#${ownerId}#${padded(taskId)}`,
    sk: "snapshot",
  }),
  taskSecrets: (ownerId: string, taskId: number): Key => ({
    pk: `task-secrets#${ownerId}#${padded(taskId)}`,
    sk: "secrets",
  }),
  /** A job of another task that waits for the end of this one. */
  taskWaiter: (ownerId: string, taskId: number, name: string): Key => ({
    pk: `task-waiters#${ownerId}#${padded(taskId)}`,
    sk: name,
  }),
  /** The task that one try of a job started, in the place of its list. */
  triggeredTask: (tryName: string, place: number): Key => ({ pk: `triggered#${tryName}`, sk: padded(place) }),
  /** The report of one try of a test: apart from the task, because only who asks for it reads it. */
  testReport: (tryName: string): Key => ({ pk: `test-report#${tryName}`, sk: "report" }),
  /** A task that worked on a commit. */
  commit: (commitId: string, ownerId: string, taskId: number): Key => ({
    pk: `commit#${commitId.slice(0, 8)}`,
    sk: `${commitId}#${ownerId}#${padded(taskId)}`,
  }),
  /** What everything about the tasks of a workflow, a test or a scan asks first: small, beside the record itself. */
  taskHead: (ownerKey: string): Key => ({ pk: `tasks#${ownerKey}`, sk: "head" }),

  releasePlan: (planId: string): Key => ({ pk: `release-plan#${planId}`, sk: "plan" }),
  /** A token by which the machine of a plan's round waits. */
  releasePlanWait: (planId: string, taskToken: string): Key => ({
    pk: `release-plan#${planId}`,
    sk: `wait#${createHash("sha256").update(taskToken).digest("hex").slice(0, 32)}`,
  }),
  /** What is still to be done after a write of the plan; it may outlive the plan. */
  releasePlanOwed: (planId: string, owedId: string): Key => ({ pk: `release-plan#${planId}`, sk: `owed#${owedId}` }),
  /** What tasks of the plan changed in an environment, and what became of its rollback. */
  releasePlanDeploy: (planId: string, projectKey: string, envKey: string, service: string): Key => ({
    pk: `release-plan#${planId}`,
    sk: `deploy#${projectKey}#${envKey}#${service}`,
  }),
  /** What happened to a plan, in its order; it outlives the plan. */
  releasePlanLog: (planId: string, sequence: number): Key => ({
    pk: `release-plan-log#${planId}`,
    sk: padded(sequence),
  }),
  /** What waits for an approval at a chat service. */
  approvalInstance: (appId: string, code: string): Key => ({ pk: `approval-instance#${appId}`, sk: code }),
  /** What a round of asking a chat service still wants: to be opened, or to be taken back. */
  approvalDebt: (roundKey: string): Key => ({ pk: `approval-debt#${roundKey}`, sk: "debt" }),
  /** How many plans there are, and how many of each hundred numbers. */
  releasePlanCounts: (): Key => ({ pk: "release-plans", sk: "counts" }),

  /** A delivery version, what it consists of, and what became of its images share a partition: one query reads it. */
  deliveryVersion: (versionId: string): Key => ({ pk: `delivery-version#${versionId}`, sk: "version" }),
  deliveryVersionContent: (versionId: string): Key => ({ pk: `delivery-version#${versionId}`, sk: "content" }),
  deliveryVersionImage: (versionId: string, service: number, image: number): Key => ({
    pk: `delivery-version#${versionId}`,
    sk: `image#${padded(service)}#${padded(image)}`,
  }),
  deliveryVersionChart: (versionId: string, service: number): Key => ({
    pk: `delivery-version#${versionId}`,
    sk: `chart#${padded(service)}`,
  }),
  /** Where the upload of a large blob continues, by a digest of its name; separate, because no user is shown it. */
  imageUpload: (ownerId: string, digest: string): Key => ({
    pk: `image-uploads#${ownerId}`,
    sk: digest,
  }),
  deliveryVersionName: (projectKey: string, name: string): Key => ({
    pk: `delivery-version-name#${projectKey}#${name}`,
    sk: "name",
  }),
  /** How many versions a project has, and how many of each hundred numbers. */
  deliveryVersionCounts: (projectKey: string): Key => ({ pk: `delivery-versions#${projectKey}`, sk: "counts" }),
  /** How many versions of a project have a label. */
  deliveryLabels: (projectKey: string): Key => ({ pk: `delivery-versions#${projectKey}`, sk: "labels" }),
  /** What was sent about a task; tasks of a workflow that was made again under its key differ by their records. */
  delivery: ({ projectKey, workflowKey, taskId }: TaskPlace, taskRecordId: string, deliveryId: string): Key => ({
    pk: `deliveries#${projectKey}#${workflowKey}#${taskId}`,
    sk: `${taskRecordId}#${deliveryId}`,
  }),

  operationLog: (sequence: number): Key => ({ pk: "operation-log", sk: padded(sequence) }),
  /** A record whose request is being worked on, by when that began in Unix seconds. */
  pendingOperation: (at: number, id: string): Key => ({ pk: "pending-operations", sk: `${padded(at)}#${id}` }),
  /** Beside each record of the log: its places in the lists by function, status and user. */
  operationPlaces: (functionCode: string, place: number, sequence: number): Key => ({
    pk: `operations-of-function#${functionCode}`,
    sk: `${padded(place)}#${padded(sequence)}`,
  }),
  /** A name in the log, and how often: the dictionary of a search. */
  operationUser: (username: string): Key => ({ pk: "operation-users", sk: `user#${named(username)}` }),
  /** The end of a project's chain of records; all of them are the dictionary of a search. */
  operationChain: (chain: string): Key => ({ pk: "operation-chains", sk: `chain#${chain}` }),
  /** The last record that was removed from a chain. */
  operationAnchor: (chain: string): Key => ({ pk: "operation-chains", sk: `anchor#${chain}` }),
  /** What a request without an `Idempotency-Key` created before it was interrupted, by its fingerprint. */
  unanswered: (fingerprint: string): Key => ({ pk: `unanswered#${fingerprint}`, sk: "unanswered" }),
  idempotency: (hash: string): Key => ({ pk: `idempotency#${hash}`, sk: "idempotency" }),
} as const;

/** Sort keys of waits for jobs begin so. */
export const jobWaitPrefix = "job#";

function taskPartition(ownerId: string, taskId: number): string {
  return `task#${ownerId}#${padded(taskId)}`;
}

/** Sort keys of the versions of one service begin so, or of all services of an environment. */
export function versionPrefix(service?: string): string {
  return service === undefined ? "version#" : `version#${service}#`;
}

/** Sort keys of the uses of a record, or of a part of it, begin so. */
export function usePrefix(part: string): string {
  return `use#${part}#`;
}
