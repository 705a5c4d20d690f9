import { ApiError } from "../../errors/apiError.ts";
import { readNotifyCtls } from "../../notify/rules/notifyCtl.ts";
import { type NotifyInput, withNotifyInputs } from "../../notify/rules/notifyInputs.ts";
import { requireProject } from "../../projects/store/projects.ts";
import { ConditionFailed } from "../../store/table.ts";
import type { Write } from "../../store/writes.ts";
import { mapCredentials } from "../definition/credentials.ts";
import { type WorkflowDefinition, workflowDefinition } from "../definition/definition.ts";
import type { Task, TaskActor } from "../records/task.ts";
import { openDefinition } from "../saved/credentials.ts";
import { requireWorkflow } from "../saved/requireWorkflow.ts";
import { ownerOf, workflowMustStand } from "../saved/store/workflows.ts";
import { applyParams, type ParamInput } from "./applyParams.ts";
import { paramSecrets } from "./paramSecrets.ts";
import { keepSecretIn } from "./secretVariables.ts";
import { type JobInput, requireNamedJobs, selectJobs } from "./selectJobs.ts";
import { lastOwnPosition, startTask } from "./startTask.ts";

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
 * @returns its number
 * @throws ApiError 404 unknown; 6160 disabled, wants an approval ticket, or wrong input
 */
export async function startWorkflow(
  projectKey: string,
  key: string,
  given: WorkflowArguments,
  creator: TaskActor,
  marking: (task: Task) => readonly Write[] = () => [],
): Promise<number> {
  const workflow = await requireWorkflow(projectKey, key);
  if (workflow.definition.enable_approval_ticket === true)
    throw new ApiError(6160, "the workflow needs an approval ticket, which a start by the API cannot bring");
  if (workflow.disabled) throw new ApiError(6160, "workflow is disabled");
  requireNamedJobs(workflow.definition, given.inputs);
  const project = await requireProject(projectKey);
  const opened = await applyParams(await openDefinition(workflow), given.params);
  const started = withRecipients(opened, given.notifyInputs);
  const secrets = paramSecrets(started);
  const open = keepingCredentials(started, secrets);
  try {
    return await startTask({
      owner: ownerOf(workflow),
      projectName: project.name,
      beside: (task) => [workflowMustStand(workflow), ...marking(task)],
      definition: open,
      arguments: { ...given, params: given.params.filter(({ name }) => !secrets.has(`workflow.params.${name}`)) },
      secrets,
      prepare: (scope) => selectJobs(given.inputs, { ...scope, definition: open }),
      creator,
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed) || !error.failed.includes(lastOwnPosition + 1)) throw error;
    throw new ApiError(409, `workflow ${key} was changed at the same moment; start it again`);
  }
}

/** The recipients that the start call names instead of the configured ones (contract W 2.4). */
function withRecipients(definition: WorkflowDefinition, inputs: readonly NotifyInput[]): WorkflowDefinition {
  if (inputs.length === 0) return definition;
  return { ...definition, notify_ctls: withNotifyInputs(readNotifyCtls(definition.notify_ctls), inputs) };
}

/** The definition without any credential: each is a variable that stands for one of `secrets`, also for a retry. */
function keepingCredentials(definition: WorkflowDefinition, secrets: Map<string, string>): WorkflowDefinition {
  const params = definition.params.map((param) => (param.is_credential === true ? { ...param, value: "" } : param));
  const keep = keepSecretIn(secrets);
  const kept = mapCredentials({ ...definition, params }, ({ value }) =>
    Array.isArray(value) ? value.map((one) => keep(String(one))) : value === "" ? "" : keep(String(value)),
  );
  return workflowDefinition.parse(kept);
}
