import { definition as environmentChange } from "../../functions/engine/environment-change/definition.ts";
import { handler as environmentChangeTasks } from "../../functions/engine/environment-change/handler.ts";
import { definition as job } from "../../functions/engine/job/definition.ts";
import { handler as jobTasks } from "../../functions/engine/job/handler.ts";
import { definition as workflowTask } from "../../functions/engine/workflow-task/definition.ts";
import { handler as workflowTaskTasks } from "../../functions/engine/workflow-task/handler.ts";
import { handler as notifier } from "../../functions/triggers/notifier/handler.ts";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import { handler as registryRefresh } from "../../functions/triggers/registry-refresh/handler.ts";
import { handler as sleepSchedule } from "../../functions/triggers/sleep-schedule/handler.ts";
import { threadFunction } from "./threadFunction.ts";

type Work = (event: unknown, context: { signal: AbortSignal }) => Promise<unknown>;

export interface Workers {
  functions: Record<string, Work>;
  stateMachines: Record<string, object>;
  /** Ends running cluster watchers where they stand; their leases stay. */
  killWatchers(): Promise<void>;
}

/** Everything that is not HTTP, by the names it has in AWS. Nothing runs before `ready`. */
export function localWorkers(ready: Promise<void>): Workers {
  const watcher = threadFunction(new URL("./watcherThread.ts", import.meta.url));
  const work: Record<string, Work> = {
    "environment-change": environmentChangeTasks,
    "workflow-task": workflowTaskTasks,
    job: jobTasks,
    "cluster-watcher": watcher.run,
    reconciler,
    "registry-refresh": registryRefresh,
    "sleep-schedule": sleepSchedule,
    notifier,
  };
  const gated = Object.entries(work).map(([name, run]): [string, Work] => [
    name,
    async (event, context) => {
      await ready;
      return run(event, context);
    },
  ]);
  return {
    functions: Object.fromEntries(gated),
    stateMachines: {
      "environment-change": filledIn(environmentChange),
      "workflow-task": filledIn(workflowTask),
      job: filledIn(job),
    },
    killWatchers: watcher.kill,
  };
}

/** CDK fills the placeholders with ARNs of functions; here a function is called by its name. */
function filledIn(definition: object): object {
  const names = {
    EnvironmentChangeFunction: "environment-change",
    WorkflowTaskFunction: "workflow-task",
    JobFunction: "job",
  };
  const text = Object.entries(names).reduce(
    (filled, [placeholder, name]) => filled.replaceAll(`\${${placeholder}}`, name),
    JSON.stringify(definition),
  );
  return JSON.parse(text);
}
