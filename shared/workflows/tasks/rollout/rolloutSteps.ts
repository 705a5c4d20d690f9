import { ApiError, notFound } from "../../../base/errors/apiError.ts";
import { jobKindOf } from "../../definition/jobKinds.ts";
import { jobOf } from "../../records/currentState.ts";
import { findWholeTask, type TaskId, type WholeTask } from "../../records/findTasks.ts";
import type { JobPlan, JobRecord } from "../../records/task.ts";

/** A step of a rollout: one job task. */
export interface RolloutStep {
  plan: JobPlan;
  /** Index of its stage. */
  stage: number;
  /** Absent before its stage begins. */
  record: JobRecord | undefined;
}

/** What a call about a rollout means. */
export interface Steps {
  whole: WholeTask;
  /** Those that are named: several where the job has several targets. */
  named: readonly [RolloutStep, ...RolloutStep[]];
  /** Those that make an end of the rollout that they are of. */
  last: readonly RolloutStep[];
}

/**
 * Finds the steps of a rollout by the name of a job task or of a job.
 * @throws ApiError 404 no such task or job; 400 a job that rolls nothing out
 */
export async function findSteps({ ownerId, taskId }: TaskId, jobName: string): Promise<Steps> {
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) throw notFound(`task ${taskId}`);
  const all = whole.plan.stages.flatMap(({ jobs }, stage) =>
    jobs.map((plan): RolloutStep => ({ plan, stage, record: jobOf(whole, plan.name) })),
  );
  const exact = all.filter(({ plan }) => plan.name === jobName);
  const [first, ...more] = exact.length > 0 ? exact : all.filter(({ plan }) => plan.originName === jobName);
  if (first === undefined) throw notFound(`job ${jobName} of task ${taskId} of workflow ${whole.task.owner.key}`);
  if (!rollsOut(first))
    throw new ApiError(400, `job_name: ${jobName} is a job of type ${first.plan.type}, which is no step of a rollout`);
  const ofRollout = all.filter((step) => rollsOut(step) && rolloutOf(step) === rolloutOf(first));
  const end = ofRollout.at(-1)?.plan.originName;
  return { whole, named: [first, ...more], last: ofRollout.filter(({ plan }) => plan.originName === end) };
}

function rollsOut({ plan }: RolloutStep): boolean {
  return jobKindOf(plan.type)?.rollsOut === true;
}

/** By the job that it began with. */
function rolloutOf({ plan }: RolloutStep): unknown {
  return plan.run.deployJob;
}

/** Why a call does not fit the current state (decisions 12.6). */
export function wrongState(description: string): ApiError {
  return new ApiError(6164, description, { message: "failed to control rollout" });
}
