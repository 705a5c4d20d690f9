import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { underLease } from "../../../shared/base/store/leases.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import type { Write } from "../../../shared/base/store/writes.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { WorkflowDefinition } from "../../../shared/workflows/definition/definition.ts";
import { isReservedKey } from "../../../shared/workflows/definition/lint.ts";
import { referencesOf } from "../../../shared/workflows/definition/references.ts";
import type { DefinitionWarning } from "../../../shared/workflows/definition/warnings.ts";
import { takeOutCredentials } from "../../../shared/workflows/saved/credentials.ts";
import { insertWorkflow } from "../../../shared/workflows/saved/insertWorkflow.ts";
import { lintWorkflow } from "../../../shared/workflows/saved/lintWorkflow.ts";
import { keyTaken, namesAreFree } from "../../../shared/workflows/saved/namesAreFree.ts";
import { startsOthers } from "../../../shared/workflows/saved/startCircle.ts";
import { findSealedCredentials, putCredentials } from "../../../shared/workflows/saved/store/workflowCredentials.ts";
import * as store from "../../../shared/workflows/saved/store/workflows.ts";
import {
  existingRecords,
  findUses,
  putUses,
  workflowUser,
} from "../../../shared/workflows/saved/store/workflowUses.ts";
import { changeView, findView } from "../../../shared/workflows/saved/store/workflowViews.ts";
import { withUses } from "../../../shared/workflows/saved/withUses.ts";
import { workflowMissing } from "../../../shared/workflows/saved/workflowMissing.ts";
import { dispatchTasks } from "../../../shared/workflows/tasks/dispatchTasks.ts";
import { requireTargetVerbs } from "./productionVerbs.ts";

/** A definition as it was sent, and as its schema reads it. */
export interface Sent {
  source: store.WorkflowSource;
  definition: WorkflowDefinition;
}

/**
 * Creates a workflow (contract W 2.9), and puts it into a view when one is named.
 * @throws ApiError 400 for a reserved key; 403 (decisions 5.7); 404 for an unknown project or view; 6540 for a key or a
 * display name that is taken; 6545
 * @returns what may not do what its author means
 */
export async function createWorkflow(
  sent: Sent,
  viewName: string | undefined,
  caller: Caller,
): Promise<DefinitionWarning[]> {
  const { name: key, project: projectKey } = sent.definition;
  if (isReservedKey(key)) throw badRequest([{ in: "body", path: "name", problem: "is reserved, choose another one" }]);
  await requireFreeKey(key);
  const displayName = displayNameOf(sent.definition);
  return checked(sent.definition, caller, () =>
    insertWorkflow({ projectKey, key, displayName, source: ownFields(sent.source) }, caller, () =>
      joinView(projectKey, viewName, key, caller),
    ),
  );
}

/**
 * Replaces a workflow (contract W 2.10); tasks that were started keep what they were started with.
 * @throws ApiError 403 (decisions 5.7); 404; 6540 for a display name that is taken or another project; 6545
 */
export async function updateWorkflow(key: string, sent: Sent, caller: Caller): Promise<DefinitionWarning[]> {
  // The key of the path is the workflow's: what the body says is not read.
  const definition = { ...sent.definition, name: key };
  const found = await requireInProject(key, definition.project, caller);
  const warnings = await checked(definition, caller, () => replace(key, found, { ...sent, definition }, caller));
  // The limit of now counts for what waits already (contract W 8.4).
  await dispatchTasks({ id: found.workflowId, key });
  return warnings;
}

async function replace(key: string, found: store.VersionedWorkflow, sent: Sent, caller: Caller): Promise<void> {
  const { definition } = sent;
  await retryOnConflict(async () => {
    const before = await store.findWorkflow(key);
    if (before?.workflowId !== found.workflowId) throw workflowMissing(key);
    const stored = await findSealedCredentials(key);
    const own = { ...ownFields(sent.source), name: key };
    const { source, sealed } = await takeOutCredentials(before.workflowId, own, stored, before.source);
    const changed = { source, displayName: displayNameOf(definition), updatedBy: caller.name, updatedAt: nowSeconds() };
    const after = { ...before, ...changed };
    const uses = { before: await findUses(key), after: await existingRecords(referencesOf(source)) };
    const beside = [await putCredentials(key, sealed), await putUses(key, uses.after)];
    await withUses({ ...uses, user: workflowUser(before) }, (held) =>
      namesAreFree(after, () => store.changeWorkflow(before, after, [...beside, ...held])),
    );
  });
}

/**
 * Saves a definition that can run. Of two that start others and are saved at once each sees the other one: neither closes a
 * circle that the other one opened.
 */
async function checked(
  definition: WorkflowDefinition,
  caller: Caller,
  save: () => Promise<void>,
): Promise<DefinitionWarning[]> {
  const checkAndSave = async () => {
    const warnings = await lintWorkflow(definition);
    await requireTargetVerbs(definition, caller);
    await save();
    return warnings;
  };
  if (!startsOthers(definition)) return checkAndSave();
  return underLease("workflow-hooks", { seconds: 20, maxWaitSeconds: 20 }, checkAndSave);
}

/** Only those who may see both projects are told that a workflow does not move. */
async function requireInProject(key: string, projectKey: string, caller: Caller): Promise<store.VersionedWorkflow> {
  const found = await store.findWorkflow(key);
  if (found?.projectKey === projectKey) return found;
  if (found === undefined || !caller.grants.systemAdmin) throw workflowMissing(key);
  throw new ApiError(6540, `workflow ${key} belongs to project ${found.projectKey} and cannot move to another one`);
}

/** What the installation says of a workflow is not the caller's to say (contract W 1.1). */
const systemFields = ["id", "hash", "created_by", "create_time", "updated_by", "update_time"];

function ownFields(source: store.WorkflowSource): store.WorkflowSource {
  return Object.fromEntries(Object.entries(source).filter(([field]) => !systemFields.includes(field)));
}

function displayNameOf({ display_name, name }: WorkflowDefinition): string {
  return display_name || name;
}

async function requireFreeKey(key: string): Promise<void> {
  const taken = await store.findWorkflow(key);
  if (taken !== undefined) throw keyTaken(taken);
}

async function joinView(projectKey: string, name: string | undefined, key: string, caller: Caller): Promise<Write[]> {
  if (name === undefined || name === "") return [];
  const view = await findView(projectKey, name);
  if (view === undefined) throw notFound(`workflow view ${name} in project ${projectKey}`);
  const others = view.workflows.filter((workflow) => workflow.key !== key);
  return [changeView(view, [...others, { key, type: "custom", enabled: true }], caller.name)];
}
