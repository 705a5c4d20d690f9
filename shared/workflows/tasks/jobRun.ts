import type { JobRun, TaskEngine } from "../jobs/runner.ts";
import { lateVariables } from "../jobs/variables/lateVariables.ts";
import { planOf } from "../records/currentState.ts";
import { type JobScope, withNamedJobs } from "../records/jobScope.ts";
import { isSkipped } from "../records/rules/executePolicy.ts";
import { renderLate, type Variables } from "../records/rules/variables.ts";
import type { JobRecord } from "../records/task.ts";
import { readSecretVariables } from "./start/secretVariables.ts";
import { shownValues } from "./start/shownSpecs.ts";
import { startWorkflow } from "./start/startWorkflow.ts";
import { taskNotice } from "./taskNotice.ts";

const engine: TaskEngine = {
  startWorkflow: ({ projectKey, key, params }, { creator, depth = 0 }, marking) =>
    startWorkflow(projectKey, key, { params, inputs: "as configured", notifyInputs: [] }, creator, marking, {
      depth: depth + 1,
    }),
  taskNotice: (whole) => taskNotice(whole),
};

/** The job with everything it needs to run: its spec with outputs of earlier jobs and with credentials. */
export async function jobRun(scope: JobScope, job: JobRecord, taskToken: string): Promise<JobRun> {
  const stage = scope.plan.stages[job.stage];
  const plan = stage?.jobs.find(({ name }) => name === job.name);
  if (stage === undefined || plan === undefined) throw new Error(`job ${job.name} has no plan`);
  const whole = await withNamedJobs(scope, plan);
  const secrets = await readSecretVariables(whole);
  const known: Variables = lateVariables(whole);
  return {
    ...{ task: whole.task, stage, plan, job, taskToken },
    spec: shownValues(whole)(plan.spec),
    run: renderLate(plan.run, new Map([...known, ...secrets])),
    secrets: [...secrets.values()],
    deadline: (job.startTime || 0) + plan.timeoutSeconds,
    engine,
  };
}

/** Whether the rules of the job say that it does not run (contract W 8.5). */
export async function skipsJob(scope: JobScope, job: JobRecord): Promise<boolean> {
  const plan = planOf(scope.plan, job);
  if (plan?.executePolicy === null || plan?.executePolicy === undefined) return false;
  return isSkipped(renderLate(plan.executePolicy, lateVariables(await withNamedJobs(scope, plan))));
}
