import type { WorkflowDefinition } from "../../definition/definition.ts";
import { paramValue } from "../../jobs/variables/staticVariables.ts";

/** Credentials among the parameters of a start, by the variables that stand for them. */
export function paramSecrets({ params }: WorkflowDefinition): Map<string, string> {
  const secret = params.filter((param) => param.is_credential === true && paramValue(param) !== "");
  return new Map(secret.map((param) => [paramPath(param.name), paramValue(param)]));
}

/** The variable of a parameter (contract W 6). */
export function paramPath(name: string): string {
  return `workflow.params.${name}`;
}
