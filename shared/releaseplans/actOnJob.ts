import { joinLimits } from "../access/identity/rules/grants.ts";
import { storeText } from "../base/aws/objects/objectStore.ts";
import { ApiError } from "../base/errors/apiError.ts";
import type { Write } from "../base/store/writes.ts";
import { hasEnded } from "../workflows/jobs/mayRun.ts";
import type { TaskActor } from "../workflows/records/task.ts";
import { retryTask } from "../workflows/tasks/start/retryTask.ts";
import { startDefinition } from "../workflows/tasks/start/startWorkflow.ts";
import { contested, writeStep } from "./changePlan.ts";
import { writeWithEffects } from "./records/pendingEffects.ts";
import { planWrites, type StoredPlan } from "./records/plans.ts";
import {
  executableJob,
  executeText,
  isJobRefusal,
  type JobCall,
  retriableJob,
  skipJob,
  taskRetried,
  taskStarted,
} from "./rules/jobCalls.ts";
import type { PlanJob } from "./rules/plan.ts";
import { isRefusal, type Refusal, type Step } from "./rules/step.ts";
import { openSpec } from "./workflowSpec.ts";

/** What a call does with one job of a plan. */
export type JobVerb = "execute" | "skip" | "retry";
type Refused = (refusal: Refusal) => Promise<Error>;

/**
 * Executes, skips or retries one job (contract D 2.9). A task begins together with what the plan says of it, so that none
 * is started twice and none is forgotten.
 * @param remark of a text job: takes the place of what is there
 * @throws ApiError 400, 403, 404, 409, and why the task could not be started: 6160, 6164, 6542
 */
export async function actOnJob(planId: string, verb: JobVerb, call: JobCall, remark: string): Promise<void> {
  const kept = await storeText(remark);
  if (verb === "execute" && call.type !== "text") return startJob(planId, call);
  await contested(planId, undefined, async (plan, refused) => {
    if (verb === "skip") return write(plan, skipJob(plan, call, kept), refused);
    if (verb === "retry") return retry(plan, call, refused);
    return write(plan, executeText(plan, call, kept), refused);
  });
}

/** Starts the task of a workflow job, together with what the plan says of it. @throws ApiError as `actOnJob` */
export function startJob(planId: string, call: JobCall): Promise<void> {
  return contested(planId, undefined, (plan, refused) => execute(plan, call, refused));
}

async function write(plan: StoredPlan, outcome: Step | Refusal, refused: Refused): Promise<void> {
  if (isRefusal(outcome)) throw await refused(outcome);
  await writeStep(plan, outcome);
}

async function execute(plan: StoredPlan, call: JobCall, refused: Refused): Promise<void> {
  const job = executableJob(plan, call);
  if (isJobRefusal(job)) throw await refused(job);
  const { workflow, given, open } = await openSpec(plan.planId, job);
  const marking = ({ taskId }: { taskId: number }): Write[] => planWrites(plan, taskStarted(plan, job, taskId, call));
  const releasePlan = { planId: plan.planId, jobId: job.id, name: plan.name, index: plan.index };
  const { overrideReason } = call;
  await startDefinition(workflow, open, given, starterOf(job, call), {
    marking,
    releasePlan,
    remark: remarkOf(job),
    overrideReason,
  });
}

/**
 * Who executes it, within the limits of the token that saved the job and of the one that is used (decisions 17.7).
 * @throws ApiError 403 when one of them has ended
 */
function starterOf({ name, workflow }: PlanJob, { by }: JobCall): TaskActor {
  if (hasEnded(workflow ?? {}))
    throw new ApiError(403, `job ${name} was saved with an API token that has ended; save it again`);
  if (hasEnded(by))
    throw new ApiError(
      403,
      `${by.name} began the execution with an API token that has ended; execute job ${name} again`,
    );
  const limits = joinLimits(by.limits, workflow?.limits);
  return { ...by, ...(limits && { limits }) };
}

async function retry(plan: StoredPlan, call: JobCall, refused: Refused): Promise<void> {
  const job = retriableJob(plan, call);
  if (isJobRefusal(job)) throw await refused(job);
  const ownerId = job.workflow?.id ?? "";
  const step = taskRetried(plan, job, call);
  await writeWithEffects(plan, step, () =>
    retryTask(
      { ownerId, taskId: job.taskId },
      { overrideReason: call.overrideReason, marking: planWrites(plan, step), by: call.by },
    ),
  );
}

/** What a task is remarked with; long remarks of tasks do not exist. */
function remarkOf({ remark }: PlanJob): string {
  return "inline" in remark ? remark.inline : "";
}
