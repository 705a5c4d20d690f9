import { maskStart } from "../../access/audit/maskStart.ts";
import { seal } from "../../base/aws/secrets/sealedSecret.ts";
import { badRequest, notFound, type Problem } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { findWorkflow, type VersionedWorkflow } from "../saved/store/workflows.ts";
import { workflowMissing } from "../saved/workflowMissing.ts";
import type { WorkflowArguments } from "../tasks/start/startWorkflow.ts";
import {
  changeCodeHost,
  findTrigger,
  isStanding,
  listTriggers,
  type OfKind,
  ownerMustStand,
  putTrigger,
  type TriggerPlace,
  withdrawal,
} from "./records/triggers.ts";
import { sealedFor, type Trigger, type TriggerBase, type TriggerKind, type TriggerSaver } from "./rules/trigger.ts";

/** Triggers of one kind that a workflow may have. */
const most = 50;
const longestGiven = 65_536;

/** What every trigger is saved with. */
export interface Wanted {
  name: string;
  enabled: boolean;
  description: string;
  /** As it was sent. */
  workflow_arg: Readonly<Record<string, unknown>>;
  given: WorkflowArguments;
}

/**
 * Adds a trigger to a workflow, or replaces one.
 * @param make makes the trigger, with what belongs to its kind alone; given the existing one, where that is replaced
 * @throws ApiError 404 for an unknown workflow or trigger; 400 for a name that is taken, and for what the workflow does
 * not have; what `make` throws
 */
export async function saveTrigger<K extends TriggerKind>(
  way: "add" | "replace",
  { workflowKey, kind }: Omit<TriggerPlace<K>, "name">,
  { name, enabled, description, workflow_arg, given }: Wanted,
  { uid, name: saverName, limits }: TriggerSaver,
  make: (base: TriggerBase, before: OfKind<K> | undefined) => Trigger | Promise<Trigger>,
): Promise<void> {
  const workflow = await requireOwner(workflowKey);
  const { workflowId, projectKey } = workflow;
  requireGiven(workflow.definition, workflow_arg, given);
  const owner = { workflowKey, workflowId };
  if (way === "add" && (await listTriggers(owner, kind)).length >= most)
    throw badRequest([{ in: "body", path: "name", problem: `the workflow has ${most} of them, which is the most` }]);
  const base: TriggerBase = {
    ...{ ...owner, projectKey, name, enabled, description, shown: maskStart(workflow_arg) },
    given: await seal(JSON.stringify(given), sealedFor({ workflowId, kind, name }, "given")),
    savedBy: { uid, name: saverName, ...(limits && { limits }) },
    savedAt: nowSeconds(),
  };
  await retryOnConflict(async () => {
    const before = await findTrigger({ workflowKey, kind, name });
    const standing = isStanding(before, workflowId) ? before : undefined;
    if (way === "add" && standing !== undefined)
      throw badRequest([{ in: "body", path: "name", problem: `the workflow has a trigger ${name} already` }]);
    if (way === "replace" && standing === undefined) throw notFound(`trigger ${name}`);
    const trigger = await make(base, standing);
    await table().write(ownerMustStand(owner), putTrigger(trigger, before), ...changeCodeHost(before, trigger));
  });
}

/** Takes a trigger away; one that is gone is no error. @throws ApiError 404 for an unknown workflow */
export async function deleteTrigger(place: TriggerPlace): Promise<void> {
  const { workflowId } = await requireOwner(place.workflowKey);
  await retryOnConflict(async () => {
    const found = await findTrigger(place);
    if (found === undefined || !isStanding(found, workflowId)) return;
    await table().write(...withdrawal(found));
  });
}

/** @throws ApiError 404 */
export async function requireOwner(workflowKey: string): Promise<VersionedWorkflow> {
  const found = await findWorkflow(workflowKey);
  if (found === undefined) throw workflowMissing(workflowKey);
  return found;
}

/** @throws ApiError 400 naming what the workflow does not have */
function requireGiven(
  { params, stages }: WorkflowDefinition,
  sent: Readonly<Record<string, unknown>>,
  given: WorkflowArguments,
): void {
  const jobs = stages.flatMap((stage) => stage.jobs).map(({ name }) => name);
  const names = params.map(({ name }) => name);
  const inputs = given.inputs === "as configured" ? [] : given.inputs;
  const problems: Problem[] = [
    ...given.params.flatMap(({ name }, at) => missing(`workflow_arg.parameters[${at}].name`, name, names)),
    ...inputs.flatMap(({ jobName }, at) => missing(`workflow_arg.inputs[${at}].job_name`, jobName, jobs)),
  ];
  if (JSON.stringify(sent).length > longestGiven)
    problems.push({ in: "body", path: "workflow_arg", problem: `must have at most ${longestGiven} characters` });
  if (problems.length > 0) throw badRequest(problems);
}

function missing(path: string, name: string, names: readonly string[]): Problem[] {
  if (names.includes(name)) return [];
  return [{ in: "body", path, problem: `${name} is not in the workflow, which has ${names.join(", ") || "none"}` }];
}
