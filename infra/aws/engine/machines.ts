import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { helmFunction } from "../../../functions/engine/lambdaTask.ts";
import { type MachineName, machines } from "../../../functions/engine/machines.ts";
import { TaskMachine } from "./taskMachine.ts";

export type Machines = Readonly<Record<MachineName, TaskMachine>>;

/** Every state machine, each with the function of its name. */
export function stateMachines(scope: Construct, workers: Readonly<Record<MachineName | "helm", IFunction>>): Machines {
  const made = Object.entries(machines).map(([name, { definition }]) => [
    name,
    new TaskMachine(scope, idOf(name), {
      name,
      definition,
      tasks: workers[name as MachineName],
      others: { [helmFunction]: workers.helm },
    }),
  ]);
  return Object.fromEntries(made) as Machines;
}

/** `environment-change` is `EnvironmentChange` in the template. */
function idOf(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
