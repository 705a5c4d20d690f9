import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { check, create, named, remove, replace, type Write } from "../../../base/store/writes.ts";
import { projectMustStand } from "../../../projects/store/projects.ts";
import { countOverview } from "../../../reports/statistics/store/overview.ts";
import { concurrencyLimitOf, type WorkflowDefinition, workflowDefinition } from "../../definition/definition.ts";
import type { TaskOwner } from "../../records/task.ts";
import { changeHead, createHead, removeHead } from "../../records/taskHeads.ts";

/** A definition as it was sent, unknown fields included; `********` replaces each credential. */
export type WorkflowSource = Readonly<Record<string, unknown>>;

/** A workflow as its writer has it. */
export interface Workflow {
  /** 24 hex characters; a workflow made again under its key has another one (decisions 7.1). */
  workflowId: string;
  key: string;
  displayName: string;
  projectKey: string;
  source: WorkflowSource;
  createdBy: string;
  /** Unix seconds. */
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
}

/** A workflow as it was read: `version` is what a change of it must still meet. */
export interface VersionedWorkflow extends Workflow {
  version: number;
  /** The source as its schema reads it, without its credentials. */
  definition: WorkflowDefinition;
  /** No task may be started. */
  disabled: boolean;
  /** Tasks that may run at once: -1 is no limit, 0 none. */
  concurrencyLimit: number;
}

/** What lists show of a workflow. */
export type WorkflowSummary = Pick<Workflow, "key" | "displayName" | "updatedBy" | "updatedAt"> & {
  description: string;
  category: string;
  disabled: boolean;
  concurrencyLimit: number;
};

/** `disabled` and `concurrencyLimit` are beside the text, so that a dispatcher can put conditions on them. */
type StoredWorkflow = Omit<Workflow, "source"> & {
  text: StoredText;
  disabled: boolean;
  concurrencyLimit: number;
  summary: WorkflowSummary;
};

export async function findWorkflow(key: string): Promise<VersionedWorkflow | undefined> {
  const item = await table().get<StoredWorkflow>(keys.workflow(key));
  return item && toWorkflow(item);
}

/** All workflows of a project by their keys. */
export async function listWorkflows(projectKey: string): Promise<WorkflowSummary[]> {
  const items = await table().query<{ summary: WorkflowSummary }>({ index: "list", pk: lists.workflows(projectKey) });
  return items.map(({ summary }) => summary);
}

/**
 * `beside` is written with it.
 * @throws ConditionFailed "workflow" when the key is taken, "workflow name", "project" when that is gone
 */
export async function createWorkflow(workflow: Workflow, beside: readonly Write[] = []): Promise<void> {
  await table().write(
    named("workflow", create(await toItem(workflow))),
    takeName(workflow),
    projectMustStand(workflow.projectKey),
    createHead(ownerOf(workflow), taskLimit(workflow)),
    countOverview("workflows", 1),
    ...beside,
  );
}

/**
 * Replaces what was read; key, project and record id stay.
 * @throws ConditionFailed "workflow" when it changed, or went, since it was read; "workflow name" when that is taken
 */
export async function changeWorkflow(
  before: VersionedWorkflow,
  after: Workflow,
  beside: readonly Write[] = [],
): Promise<void> {
  const renaming = before.displayName === after.displayName ? [] : [takeName(after), freeName(before)];
  const head = changeHead(ownerOf(after), taskLimit(after));
  const change = named("workflow", replace(await toItem(after), before.version));
  await table().write(change, ...renaming, head, ...beside);
}

/** @throws ConditionFailed "workflow" when it changed, or went, since it was read */
export async function removeWorkflow(workflow: VersionedWorkflow, beside: readonly Write[] = []): Promise<void> {
  const removal = named("workflow", remove(keys.workflow(workflow.key), mustHaveVersion(workflow.version)));
  const gone = [freeName(workflow), removeHead(ownerOf(workflow)), countOverview("workflows", -1)];
  await table().write(removal, ...gone, ...beside);
}

/** What its tasks are runs of. */
export function ownerOf({ workflowId, key, displayName, projectKey }: Workflow): TaskOwner {
  return { kind: "workflow", id: workflowId, key, name: displayName, projectKey };
}

function taskLimit({ source }: Workflow): number | undefined {
  const limit = concurrencyLimitOf(workflowDefinition.parse(source));
  return limit < 0 ? undefined : limit;
}

function takeName({ projectKey, displayName, key }: Workflow): Write {
  const item = { ...keys.workflowName(projectKey, displayName), type: "workflow-name", workflowKey: key };
  return named("workflow name", create(item));
}

function freeName({ projectKey, displayName, key }: Workflow): Write {
  return remove(keys.workflowName(projectKey, displayName), mustBeOneOf("workflowKey", [key]));
}

async function toItem(workflow: Workflow) {
  const { workflowId, key, displayName, projectKey, source, createdBy, createdAt, updatedBy, updatedAt } = workflow;
  const definition = workflowDefinition.parse(source);
  const [disabled, concurrencyLimit] = [definition.disabled === true, concurrencyLimitOf(definition)];
  const { description, category } = definition;
  return {
    ...keys.workflow(key),
    type: "workflow",
    ...{ workflowId, key, displayName, projectKey, createdBy, createdAt, updatedBy, updatedAt },
    disabled,
    concurrencyLimit,
    text: await storeText(JSON.stringify(source)),
    summary: {
      ...{ key, displayName, updatedBy, updatedAt, disabled, concurrencyLimit },
      description: description ?? "",
      category: category ?? "",
    },
    listPk: lists.workflows(projectKey),
    listSk: key,
  };
}

async function toWorkflow(item: Item<StoredWorkflow>): Promise<VersionedWorkflow> {
  const { workflowId, key, displayName, projectKey, createdBy, createdAt, updatedBy, updatedAt } = item;
  const source = JSON.parse(await readStoredText(item.text)) as WorkflowSource;
  return {
    ...{ workflowId, key, displayName, projectKey, createdBy, createdAt, updatedBy, updatedAt },
    ...{ version: item.version, disabled: item.disabled, concurrencyLimit: item.concurrencyLimit },
    source,
    definition: workflowDefinition.parse(source),
  };
}

/** For the transaction of something that goes by the workflow as it was read. */
export function workflowMustStand({ key, workflowId }: Pick<Workflow, "key" | "workflowId">): Write {
  const asRead = both(mustBeOneOf("workflowId", [workflowId]), mustBeOneOf("disabled", [false]));
  return named("workflow", check(keys.workflow(key), asRead));
}
