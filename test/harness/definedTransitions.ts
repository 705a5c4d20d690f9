import { definition as job } from "../../functions/engine/job/definition.ts";
import { definition as workflowTask } from "../../functions/engine/workflow-task/definition.ts";
import { type AslMachine, type AslState, nestedMachines } from "../../infra/local/aws/states/asl.ts";

/** A stage by what its transitions depend on. */
export interface StageShape {
  jobs: number;
  hasApproval?: boolean;
}

/** States that a task enters when every job ends at its first try, read from the definitions (decisions 7.3). */
export function definedTransitions(stages: readonly StageShape[]): number {
  const task = path(workflowTask, [...stages.map(({ hasApproval }) => (hasApproval ? "approve" : "jobs")), "end"]);
  const [inStage] = nestedMachines(workflowTask.States.Jobs);
  if (inStage === undefined) throw new Error("the state Jobs runs nothing");
  const ofJob = path(inStage, []).length + path(job, ["done"]).length;
  return task.length + ofJob * stages.reduce((sum, { jobs }) => sum + jobs, 0);
}

/** The states from the first to the last, nobody failing; `answers` are what the Choice states read, in turn. */
function path({ StartAt, States }: AslMachine, answers: readonly string[]): AslState[] {
  const entered: AslState[] = [];
  const left = [...answers];
  for (let name: string | undefined = StartAt; name !== undefined; ) {
    const state: AslState | undefined = States[name];
    if (state === undefined) throw new Error(`there is no state ${name}`);
    entered.push(state);
    name = state.Type === "Choice" ? chosen(state, left.shift()) : textOf(state.Next);
  }
  return entered;
}

function chosen({ Choices, Default }: AslState, answer: string | undefined): string | undefined {
  const rules: readonly unknown[] = Array.isArray(Choices) ? Choices : [];
  const fits = (rule: unknown): rule is { Next: string } =>
    typeof rule === "object" && rule !== null && "StringEquals" in rule && rule.StringEquals === answer;
  return rules.find(fits)?.Next ?? textOf(Default);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
