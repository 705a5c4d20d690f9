import { definition as job } from "../../functions/engine/job/definition.ts";
import { definition as workflowTask } from "../../functions/engine/workflow-task/definition.ts";
import { type Machine, nestedMachines, readMachine, type State } from "../../infra/local/aws/states/machine.ts";

type ChoiceState = Extract<State, { Type: "Choice" }>;

/** A stage by what its transitions depend on. */
export interface StageShape {
  jobs: number;
  hasApproval?: boolean;
}

/** States that a task enters when every job ends at its first try, read from the definitions (decisions 7.3). */
export function definedTransitions(stages: readonly StageShape[]): number {
  return entered(stages).length;
}

/** Requests of functions among them. */
export function definedRequests(stages: readonly StageShape[]): number {
  return entered(stages).filter(({ Type }) => Type === "Task").length;
}

function entered(stages: readonly StageShape[]): State[] {
  const { States, ...rest } = readMachine("workflow-task", workflowTask);
  const task = path({ ...rest, States }, [
    ...stages.map(({ hasApproval }) => (hasApproval ? "approve" : "jobs")),
    "end",
  ]);
  const [inStage] = States.Jobs === undefined ? [] : nestedMachines(States.Jobs);
  if (inStage === undefined) throw new Error("the state Jobs runs nothing");
  const ofJob = [...path(inStage, []), ...path(readMachine("job", job), ["done"])];
  return [...task, ...stages.flatMap(({ jobs }) => Array.from({ length: jobs }, () => ofJob).flat())];
}

/** The states from the first to the last, nobody failing; `answers` are what the Choice states read, in turn. */
function path({ StartAt, States }: Machine, answers: readonly string[]): State[] {
  const entered: State[] = [];
  const left = [...answers];
  for (let name: string | undefined = StartAt; name !== undefined; ) {
    const state: State | undefined = States[name];
    if (state === undefined) throw new Error(`there is no state ${name}`);
    entered.push(state);
    name = state.Type === "Choice" ? chosen(state, left.shift()) : "Next" in state ? state.Next : undefined;
  }
  return entered;
}

function chosen({ Choices, Default }: ChoiceState, answer: string | undefined): string | undefined {
  return Choices.find((rule) => rule.StringEquals === answer)?.Next ?? Default;
}
