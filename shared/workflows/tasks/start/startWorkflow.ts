import { ApiError } from "../../../base/errors/apiError.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { conflictedOn } from "../../../base/store/tableClient.ts";
import type { Write } from "../../../base/store/writes.ts";
import { readNotifyCtls } from "../../../integrations/notify/rules/notifyCtl.ts";
import { type NotifyInput, withNotifyInputs } from "../../../integrations/notify/rules/notifyInputs.ts";
import { requireProject } from "../../../projects/store/projects.ts";
import { mapCredentials } from "../../definition/credentials.ts";
import { type WorkflowDefinition, workflowDefinition } from "../../definition/definition.ts";
import { outsideInto } from "../../definition/outsideTexts.ts";
import type { Task, TaskActor, TaskPlan } from "../../records/task.ts";
import { openDefinition } from "../../saved/credentials.ts";
import { requireWorkflow } from "../../saved/requireWorkflow.ts";
import { ownerOf, type VersionedWorkflow, workflowMustStand } from "../../saved/store/workflows.ts";
import { applyParams, type ParamInput } from "./applyParams.ts";
import { isLarge } from "./largeTask.ts";
import { paramSecrets } from "./paramSecrets.ts";
import { jobsOf, requireUnfrozen } from "./requireUnfrozen.ts";
import { keepSecretIn } from "./secretVariables.ts";
import { type JobInput, requireNamedJobs, selectJobs } from "./selectJobs.ts";
import { type PlannedStart, planStart, startTask } from "./startTask.ts";

/** What a start call says (contract W 2.4). */
export interface WorkflowArguments {
  params: ParamInput[];
  inputs: JobInput[] | "as configured";
  /** Overrides of recipients, as they were sent. */
  notifyInputs: readonly NotifyInput[];
}

/**
 * Starts a task of a workflow (contract W 2.4).
 * @param marking writes that go with the task: what must not happen twice, and notes that it did
 * @param origin `overrideReason`: why freezes do not count, given by a user who may; `depth`: how many tasks led to it
 * @returns its number
 * @throws ApiError 404 unknown; 6160 disabled, wants an approval ticket, or wrong input; 409 for frozen production
 */
export async function startWorkflow(
  projectKey: string,
  key: string,
  given: WorkflowArguments,
  creator: TaskActor,
  marking: Origin["marking"] = () => [],
  origin: Pick<Origin, "overrideReason" | "depth"> = {},
): Promise<number> {
  const workflow = await requireWorkflow(projectKey, key);
  const open = async () => {
    const definition = await openDefinition(workflow);
    // A job of a task that others set going hands on what they said.
    return isOfTrigger(creator) ? outsideInto(definition, {}) : definition;
  };
  return startDefinition(workflow, open, given, creator, { marking, ...origin });
}

/** Tasks of triggers are named after what these are (contract W 16); a schedule says nothing of others. */
function isOfTrigger({ name, account }: TaskActor): boolean {
  return name === account && ["webhook", "generalhook", "jirahook", "workflowhook"].includes(name);
}

/** Where a start comes from. */
interface Origin {
  /** Writes that go with the task. */
  marking(task: Task): readonly Write[];
  /** Why freezes do not count, given by a user with that right. */
  overrideReason?: string | undefined;
  /** How many tasks led to it. */
  depth?: number;
  remark?: string;
  releasePlan?: NonNullable<Task["releasePlan"]>;
  commit?: Task["commit"];
  legacy?: (recordId: string) => Promise<NonNullable<Task["legacy"]>>;
}

/**
 * Starts a task of a workflow by a definition of it: the saved one, or one that was kept.
 * @param open with its credentials in place
 * @throws ApiError as `startWorkflow`; ConditionFailed for a write of `marking`
 */
export async function startDefinition(
  workflow: VersionedWorkflow,
  open: () => Promise<WorkflowDefinition>,
  given: WorkflowArguments,
  creator: TaskActor,
  { marking, ...origin }: Origin,
): Promise<number> {
  requireNotTooDeep(workflow, origin.depth ?? 0);
  const start = await prepareStart(workflow, open, given, creator);
  const params = given.params.filter(({ name }) => !start.secrets.has(`workflow.params.${name}`));
  try {
    return await startTask({
      ...start,
      beside: (task) => [workflowMustStand(workflow), ...marking(task)],
      arguments: { ...given, params },
      refuse: (plan) => requireUnfrozen(workflow.projectKey, jobsOf(plan), origin.overrideReason),
      isLarge: isLarge(start.definition, given.inputs),
      ...origin,
    });
  } catch (error) {
    if (!conflictedOn(error, "workflow")) throw error;
    throw new ApiError(409, `workflow ${workflow.key} was changed at the same moment; start it again`);
  }
}

/** More than users chain on purpose: a circle that was closed at run time ends here (decisions 19.5). */
const deepest = 20;

function requireNotTooDeep({ key }: VersionedWorkflow, depth: number): void {
  if (depth <= deepest) return;
  throw new ApiError(
    6160,
    `${depth} tasks led to this start of ${key}, each by starting the next; at most ${deepest} may`,
  );
}

/**
 * What a start of a definition would run, for a release plan: nothing is written, and variables about the task or about
 * what runs in it stay as they are written.
 * @returns the plan, with its credentials by the variables that stand for them
 * @throws ApiError as `startWorkflow`, but for freezes
 */
export async function previewStart(
  workflow: VersionedWorkflow,
  open: () => Promise<WorkflowDefinition>,
  given: WorkflowArguments,
  creator: TaskActor,
): Promise<{ plan: TaskPlan; secrets: ReadonlyMap<string, string> }> {
  const start = await prepareStart(workflow, open, given, creator);
  return planStart(start, { taskId: 0, startedAt: nowSeconds(), isOfReleasePlan: true, isPreview: true });
}

async function prepareStart(
  workflow: VersionedWorkflow,
  open: () => Promise<WorkflowDefinition>,
  given: WorkflowArguments,
  creator: TaskActor,
): Promise<PlannedStart> {
  if (workflow.definition.enable_approval_ticket === true)
    throw new ApiError(6160, "the workflow needs an approval ticket, which a start by the API cannot bring");
  if (workflow.disabled) throw new ApiError(6160, "workflow is disabled");
  const opened = await chosenParams(await open(), given);
  const started = withRecipients(opened, given.notifyInputs);
  const secrets = paramSecrets(started);
  const definition = keepingCredentials(started, secrets);
  const project = await requireProject(workflow.projectKey);
  return {
    owner: ownerOf(workflow),
    projectName: project.name,
    ...{ definition, secrets, creator },
    prepare: (scope) => selectJobs(given.inputs, { ...scope, definition }),
  };
}

/** The definition with the parameters of a start, whose inputs name jobs of it. @throws ApiError 6160 */
export function chosenParams(definition: WorkflowDefinition, given: WorkflowArguments): Promise<WorkflowDefinition> {
  requireNamedJobs(definition, given.inputs);
  return applyParams(definition, given.params);
}

/** The recipients that the start call names instead of the configured ones (contract W 2.4). */
function withRecipients(definition: WorkflowDefinition, inputs: readonly NotifyInput[]): WorkflowDefinition {
  if (inputs.length === 0) return definition;
  return { ...definition, notify_ctls: withNotifyInputs(readNotifyCtls(definition.notify_ctls), inputs) };
}

/**
 * The definition without any credential: each is replaced by a variable of `secrets`, also for a retry. What a patch
 * writes into a Secret stays, because it is YAML that has variables of its own.
 */
function keepingCredentials(definition: WorkflowDefinition, secrets: Map<string, string>): WorkflowDefinition {
  const params = definition.params.map((param) => (param.is_credential === true ? { ...param, value: "" } : param));
  const keep = keepSecretIn(secrets);
  const kept = mapCredentials({ ...definition, params }, ({ value, isOfPatch }) => {
    if (isOfPatch) return value;
    return Array.isArray(value) ? value.map((one) => keep(String(one))) : value === "" ? "" : keep(String(value));
  });
  return workflowDefinition.parse(kept);
}
