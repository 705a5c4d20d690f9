import { maskedValue } from "../domain/job/keyVal.ts";
import type { WorkflowDefinition } from "../domain/workflow/definition.ts";
import type { VersionedWorkflow } from "../store/workflows.ts";
import { paramValue } from "./staticVariables.ts";

/** Credentials among the parameters of a start, by the variables they stand for: given ones before those of the workflow. */
export async function paramSecrets(
  _workflow: VersionedWorkflow,
  { params }: WorkflowDefinition,
): Promise<Map<string, string>> {
  const secret = params.filter(({ is_credential }) => is_credential === true);
  return new Map(
    secret.flatMap((param) => {
      const value = paramValue(param);
      return value === maskedValue || value === "" ? [] : [[`workflow.params.${param.name}`, value] as const];
    }),
  );
}
