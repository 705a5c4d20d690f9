import type { Caller } from "../../../../shared/http/exchange.ts";
import { taskActor } from "../../../../shared/http/taskActor.ts";
import { isRecord } from "../../../../shared/manifest/schema/kubeObject.ts";
import type { WorkflowDefinition } from "../../../../shared/workflows/definition/definition.ts";
import { readTaskHead } from "../../../../shared/workflows/records/taskHeads.ts";
import { workflowMissing } from "../../../../shared/workflows/saved/workflowMissing.ts";
import type { WorkflowArguments } from "../../../../shared/workflows/tasks/start/startWorkflow.ts";
import type { TriggerPlace } from "../../../../shared/workflows/triggers/records/triggers.ts";
import type { Trigger, TriggerKind } from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { saveTrigger, type Wanted } from "../../../../shared/workflows/triggers/saveTrigger.ts";

interface Body {
  name: string;
  enabled: boolean;
  description: string;
  workflow_arg: {
    parameters?: WorkflowArguments["params"] | null | undefined;
    inputs?: Exclude<WorkflowArguments["inputs"], string> | null | undefined;
  };
}

/**
 * Saves the trigger that a request wants: with its caller's rights, and the limits of the token that was used.
 * @throws as `saveTrigger`
 */
export function saveWanted<K extends TriggerKind>(
  way: "add" | "replace",
  place: Omit<TriggerPlace<K>, "name">,
  { body, sentBody, caller }: { body: Body; sentBody: unknown; caller: Caller },
  make: Parameters<typeof saveTrigger<K>>[4],
): Promise<void> {
  return saveTrigger(way, place, wantedOf(body, sentBody), taskActor(caller), make);
}

/** What every trigger is saved with. @param sent the body as it was sent */
function wantedOf({ name, enabled, description, workflow_arg }: Body, sent: unknown): Wanted {
  const { parameters, inputs } = workflow_arg;
  const arg = isRecord(sent) && isRecord(sent.workflow_arg) ? sent.workflow_arg : {};
  const given = { params: parameters ?? [], inputs: inputs ?? ("as configured" as const), notifyInputs: [] };
  return { name, enabled, description, workflow_arg: arg, given };
}

/** What every trigger shows of itself. */
export function shownOf({ name, enabled, description, shown, savedBy, savedAt }: Trigger) {
  return {
    ...{ name, enabled, description, workflow_arg: { ...shown } },
    ...{ updated_by: savedBy.name, update_time: savedAt },
  };
}

/** What a start of the workflow may say; credentials have no value. */
export function presetArg({ params, stages }: WorkflowDefinition) {
  return {
    parameters: params.map(({ name, type, value, is_credential }) => ({
      ...{ name, type: type ?? "" },
      value: is_credential === true ? "" : (value ?? ""),
    })),
    inputs: stages
      .flatMap(({ jobs }) => jobs)
      .filter(({ run_policy }) => run_policy !== "default_not_run" && run_policy !== "skip")
      .map(({ name, type }) => ({ job_name: name, job_type: type, parameters: {} })),
  };
}

/** Whose triggers these are. @throws ApiError 404 */
export async function ownerOf(workflowKey: string): Promise<{ workflowKey: string; workflowId: string }> {
  const head = await readTaskHead(workflowKey);
  if (head === undefined) throw workflowMissing(workflowKey);
  return { workflowKey, workflowId: head.ownerId };
}
