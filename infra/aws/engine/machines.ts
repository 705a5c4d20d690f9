import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { definition as environmentChange } from "../../../functions/engine/environment-change/definition.ts";
import { definition as job } from "../../../functions/engine/job/definition.ts";
import { definition as workflowTask } from "../../../functions/engine/workflow-task/definition.ts";
import type { WorkerName } from "../functions/workers.ts";
import { TaskMachine } from "./taskMachine.ts";

export interface Machines {
  environmentChange: TaskMachine;
  workflowTask: TaskMachine;
  job: TaskMachine;
}

/** Every state machine, each with the function of its name (design 5). */
export function stateMachines(scope: Construct, workers: Readonly<Record<WorkerName, IFunction>>): Machines {
  return {
    environmentChange: new TaskMachine(scope, "EnvironmentChange", {
      name: "environment-change",
      definition: environmentChange,
      placeholder: "EnvironmentChangeFunction",
      tasks: workers["environment-change"],
    }),
    workflowTask: new TaskMachine(scope, "WorkflowTask", {
      name: "workflow-task",
      definition: workflowTask,
      placeholder: "WorkflowTaskFunction",
      tasks: workers["workflow-task"],
    }),
    job: new TaskMachine(scope, "Job", {
      name: "job",
      definition: job,
      placeholder: "JobFunction",
      tasks: workers.job,
    }),
  };
}
