import { nowSeconds } from "../../base/store/ids.ts";
import type { Write } from "../../base/store/writes.ts";
import type { TaskNotice } from "../../integrations/notify/rules/taskNotice.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobStatus } from "../records/rules/status.ts";
import type { JobEnd, JobPlan, JobRecord, StagePlan, Task } from "../records/task.ts";

/** What the engine of tasks does for kinds of jobs that need it. */
export interface TaskEngine {
  /**
   * Starts a task of a workflow as it is configured, for the starter of another task.
   * @param marking writes that go with the task, so that it is started once
   * @throws ApiError in words for users
   */
  startWorkflow(
    workflow: { projectKey: string; key: string; params: { name: string; value: string }[] },
    starting: Pick<Task, "creator" | "depth">,
    marking: (task: Task) => readonly Write[],
  ): Promise<unknown>;
  /** What messages say about a task. */
  taskNotice(whole: WholeTask): Promise<TaskNotice>;
}

/** One job as it runs now. */
export interface JobRun {
  task: Task;
  stage: StagePlan;
  plan: JobPlan;
  job: JobRecord;
  /** The plan's `run` with every variable replaced, credentials among them: in memory only. */
  run: Record<string, unknown>;
  /** What is shown of the job, with every variable replaced; credentials are stars. */
  spec: Record<string, unknown>;
  /** Values that must not be read in any log. */
  secrets: readonly string[];
  /** Wakes the job: `completeTask(taskToken, {})`. */
  taskToken: string;
  /** Unix seconds: the end of the job's time. */
  deadline: number;
  engine: TaskEngine;
}

/** The job continues until something settles its token; `set` is kept in its record meanwhile. */
export interface Waiting {
  waits: true;
  status?: Extract<JobStatus, "running" | "wait_for_approval">;
  /** Nothing settles the token: `finish` does the work, in as many calls as it takes, or says whose the next step is. */
  goesOn?: true;
  set?: Partial<Pick<JobRecord, "approval" | "result">>;
  /** Hands over the token, once `set` is kept: what the job waits for may end at once. May be repeated. */
  leave?(): Promise<void>;
}

/** What was started has ended, but what follows outside has not: `finish` is called again after so many seconds. */
export interface NotYet {
  notYet: true;
  seconds: number;
}

/** What the job waited for outside has ended: `begin` is called again, and continues with what follows. */
export interface BeginAgain {
  beginAgain: true;
}

/** Helm's function does the next step of a deployment, and `begin` is called again. */
export interface ByHelm {
  /** The deployment's name. */
  byHelm: string;
}

export type WhyFinished = "settled" | "timeout" | "cancelled";

/** How a kind of job runs. Both steps may be run again after a crash, with the same outcome. */
export interface JobRunner {
  /** Does the work, or starts what works and says that it waits. What it throws fails the job in words for users. */
  begin(run: JobRun): Promise<JobEnd | Waiting>;
  /**
   * Ends what `begin` started: reads how it ended, or stops it when the time is up or the task is cancelled, and takes
   * away what is left of it. A kind that keeps the end in the record before it takes anything away (`leaving`) finds it
   * there when it is asked again.
   */
  finish(run: JobRun, why: WhyFinished): Promise<JobEnd | NotYet | ByHelm | BeginAgain>;
}

/**
 * Asks again: often at first, and less often the longer it takes.
 * @param since Unix seconds @param least seconds until the next time
 */
export function later(since: number, least = 2): NotYet {
  const waited = nowSeconds() - since;
  return { notYet: true, seconds: Math.min(30, Math.max(least, Math.round(waited / 10))) };
}

/** A job that did what it should. */
export function passed(more: Partial<JobEnd> = {}): JobEnd {
  return { ending: "passed", error: "", outputs: {}, result: {}, ...more };
}

export function failed(error: string, more: Partial<JobEnd> = {}): JobEnd {
  return { ending: "failed", error, outputs: {}, result: {}, ...more };
}

/** Why a job that was stopped from outside ended. */
export function stopped(why: Exclude<WhyFinished, "settled">): JobEnd {
  return why === "timeout"
    ? { ending: "timeout", error: "workflow timeout", outputs: {}, result: {} }
    : { ending: "cancelled", error: "", outputs: {}, result: {} };
}

/** For work that is finished when `begin` returns: there is nothing to wait for or to stop. */
export function immediate(begin: (run: JobRun) => Promise<JobEnd>): JobRunner {
  return {
    begin,
    finish: async (_run, why) => (why === "settled" ? failed("the job ended without a result") : stopped(why)),
  };
}
