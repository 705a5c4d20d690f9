import * as z from "zod";
import { isVariable } from "../../../base/common/placeholders.ts";
import { maskedValue } from "../../definition/script/keyVal.ts";
import type { JobVariable } from "../../definition/specParts.ts";
import { listOf, requiredText, scalar } from "../../definition/wireFields.ts";
import type { PlanScope } from "../planner.ts";
import { paramValue } from "../variables/staticVariables.ts";
import type { RunVariable } from "./containerRun.ts";

/** `inputs` and `kv` of a start call (contract W 3): they set variables that are configured; others are dropped. */
export const variableInputs = listOf(
  z.looseObject({
    key: requiredText,
    value: scalar.transform(String),
  }),
);

export function withInputs(
  variables: readonly JobVariable[],
  inputs: readonly { key: string; value: string }[],
): JobVariable[] {
  return variables.map((variable) => {
    const given = inputs.findLast(({ key }) => key === variable.key);
    if (given === undefined) return variable;
    const isList = variable.type === "multi-select";
    return {
      ...variable,
      value: given.value,
      ...(isList && { choice_value: given.value === "" ? [] : given.value.split(",") }),
    };
  });
}

/** The value as a script sees it; chosen values of a multi-select are comma-joined. */
export function textOf({ type, value, choice_value }: JobVariable): string {
  return type === "multi-select" && choice_value?.length ? choice_value.join(",") : value;
}

/** What a plan keeps of a job's variables: for the runner, and as task detail shows them. */
export interface PlannedVariables {
  run: RunVariable[];
  shown: Record<string, unknown>[];
}

export function planVariables(variables: readonly JobVariable[], { keepSecret }: PlanScope): PlannedVariables {
  const run = variables.map((variable): RunVariable => {
    const value = textOf(variable);
    if (variable.is_credential !== true) return { name: variable.key, value, isCredential: false };
    return { name: variable.key, value: keptCredential(value, keepSecret), isCredential: true };
  });
  const shown = variables.map((variable) =>
    variable.is_credential === true ? { ...variable, value: maskedValue, choice_value: [] } : { ...variable },
  );
  return { run, shown };
}

/** What a plan holds for a credential: a variable in its place, unless it is a variable already. */
export function keptCredential(value: string, keepSecret: PlanScope["keepSecret"]): string {
  const isKept = value === "" || value === maskedValue || isVariable(value);
  return isKept ? value : keepSecret(value);
}

/** Parameters of the workflow that can be variables of a shell. */
export function paramVariables({ definition }: PlanScope): RunVariable[] {
  return definition.params.flatMap((param) => {
    const isText = param.type !== "repo" && param.type !== "file";
    if (!isText || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(param.name)) return [];
    const isCredential = param.is_credential === true;
    const value = isCredential ? `{{.workflow.params.${param.name}}}` : paramValue(param);
    return [{ name: param.name, value, isCredential }];
  });
}
