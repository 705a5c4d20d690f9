import { isDeepStrictEqual } from "node:util";
import { readStoredText, type StoredText, storeText } from "../base/aws/objects/objectStore.ts";
import { type SealedSecret, seal, unseal } from "../base/aws/secrets/sealedSecret.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { requireProject } from "../projects/store/projects.ts";
import { showCredentials } from "../workflows/definition/credentials.ts";
import { type WorkflowDefinition, workflowDefinition } from "../workflows/definition/definition.ts";
import type { TaskActor } from "../workflows/records/task.ts";
import { openDefinition, openWith } from "../workflows/saved/credentials.ts";
import { findSealedCredentials } from "../workflows/saved/store/workflowCredentials.ts";
import {
  findWorkflow,
  ownerOf,
  type VersionedWorkflow,
  type WorkflowSource,
} from "../workflows/saved/store/workflows.ts";
import { selectJobs } from "../workflows/tasks/start/selectJobs.ts";
import { chosenParams, type WorkflowArguments } from "../workflows/tasks/start/startWorkflow.ts";
import type { Plan, PlanJob, PlannedWorkflow } from "./rules/plan.ts";

/** What a workflow job of a plan runs: the definition as it was when it was checked, and what its start will say. */
interface WorkflowSpec {
  /** Inputs as they were sent; sealed, because which of them are credentials the definition alone knows. */
  given: SealedSecret;
  /** Without its credentials, which stand beside it as the workflow has them. */
  source: WorkflowSource;
  credentials: readonly (readonly [string, SealedSecret])[];
  /** The definition with the inputs, credentials masked. */
  shown: WorkflowSource;
}

/** Which workflow a job names, and what its start is to say. */
export interface WorkflowWish {
  projectKey: string;
  key: string;
  given: WorkflowArguments;
}

const ownerOfInputs = (planId: string) => ({ record: `release-plan:${planId}`, field: "inputs" });

/**
 * Checks what a job of a plan asks of a workflow as the workflow is now, and keeps both, with the limits of the token that
 * `maker` used.
 * @throws ApiError 6542 unknown; 6545 disabled, or inputs that do not fit it
 */
export async function createWorkflowSpec(
  planId: string,
  { projectKey, key, given }: WorkflowWish,
  maker: TaskActor,
): Promise<{ workflow: PlannedWorkflow; spec: StoredText }> {
  const workflow = await findWorkflow(key);
  if (workflow === undefined || workflow.projectKey !== projectKey)
    throw new ApiError(6542, `workflow ${key} does not exist in project ${projectKey}`);
  const { workflowId: id, displayName } = workflow;
  const sealed = await seal(JSON.stringify(given), ownerOfInputs(planId));
  const { limits } = maker;
  return {
    workflow: { id, key, displayName, projectKey, ...(limits && { limits }) },
    spec: await storeSpec(workflow, given, sealed, maker),
  };
}

/** The spec of a job as its workflow is now, whose inputs are checked again. @throws ApiError as `createWorkflowSpec` */
export async function renewSpec(planId: string, job: PlanJob, maker: TaskActor): Promise<StoredText> {
  const workflow = await requireSame(job);
  const { given } = await readSpec(job);
  return storeSpec(workflow, await openInputs(planId, given), given, maker);
}

/** The spec of a job for another plan, which seals its own inputs. @throws ApiError as `createWorkflowSpec` */
export async function copySpec(planId: string, job: PlanJob, to: string, maker: TaskActor) {
  const { projectKey = "", key = "" } = job.workflow ?? {};
  const given = await openInputs(planId, (await readSpec(job)).given);
  return createWorkflowSpec(to, { projectKey, key, given }, maker);
}

/** What a start of the job runs: the workflow, the kept definition with its credentials in place, and the inputs. */
export async function openSpec(
  planId: string,
  job: PlanJob,
): Promise<{ workflow: VersionedWorkflow; given: WorkflowArguments; open: () => Promise<WorkflowDefinition> }> {
  const workflow = await requireSame(job);
  const { given, source, credentials } = await readSpec(job);
  const kept = { workflowId: workflow.workflowId, source };
  const open = async () => workflowDefinition.parse(await openWith(kept, new Map(credentials)));
  return { workflow, given: await openInputs(planId, given), open };
}

/**
 * What a start of the job would run: what is kept, or while the plan is drafted what its workflow says now, which is kept
 * when planning ends.
 * @returns with it whether the workflow was edited since it was kept
 * @throws ApiError 6542 when the workflow was deleted
 */
export async function specAhead(
  { planId, status }: Pick<Plan, "planId" | "status">,
  job: PlanJob,
): Promise<Awaited<ReturnType<typeof openSpec>> & { changed: boolean }> {
  const { workflow, given, open } = await openSpec(planId, job);
  const { source, credentials } = await readSpec(job);
  const sealed = [...(await findSealedCredentials(workflow.key))];
  // As JSON, which is how the spec is kept.
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify([workflow.source, sealed])), [source, credentials]);
  return { workflow, given, open: status === "planning" ? () => openDefinition(workflow) : open, changed: !isSame };
}

/** What people see of the spec: the definition with the chosen inputs, credentials masked. */
export async function shownSpec(job: PlanJob): Promise<WorkflowSource> {
  return (await readSpec(job)).shown;
}

async function storeSpec(
  workflow: VersionedWorkflow,
  given: WorkflowArguments,
  sealed: SealedSecret,
  maker: TaskActor,
): Promise<StoredText> {
  const { source } = workflow;
  const credentials = [...(await findSealedCredentials(workflow.key))];
  const shown = await mergedDefinition(workflow, given, maker);
  const spec: WorkflowSpec = { given: sealed, source, credentials, shown: showCredentials(shown) };
  return storeText(JSON.stringify(spec));
}

/** The definition with the inputs, as a start would run it. @throws ApiError 6545 */
async function mergedDefinition(
  workflow: VersionedWorkflow,
  given: WorkflowArguments,
  creator: TaskActor,
): Promise<WorkflowDefinition> {
  if (workflow.disabled) throw new ApiError(6545, `workflow ${workflow.key} is disabled`);
  const project = await requireProject(workflow.projectKey);
  try {
    const definition = await chosenParams(await openDefinition(workflow), given);
    return await selectJobs(given.inputs, {
      ...{ project: { key: project.projectKey, name: project.name }, workflow: ownerOf(workflow), definition },
      ...{ taskId: 0, creator, startedAt: nowSeconds(), isOfReleasePlan: true },
      keepSecret: (value) => value,
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 6160)) throw error;
    throw new ApiError(6545, error.description, { extra: error.extra });
  }
}

async function requireSame({ name, workflow: planned }: PlanJob): Promise<VersionedWorkflow> {
  const workflow = planned && (await findWorkflow(planned.key));
  if (workflow !== undefined && workflow.workflowId === planned?.id) return workflow;
  throw new ApiError(6542, `job ${name}: workflow ${planned?.key} was deleted; edit the job, or take it out`);
}

async function readSpec({ spec }: PlanJob): Promise<WorkflowSpec> {
  return JSON.parse(await readStoredText(spec));
}

async function openInputs(planId: string, sealed: SealedSecret): Promise<WorkflowArguments> {
  return JSON.parse(await unseal(sealed, ownerOfInputs(planId)));
}
