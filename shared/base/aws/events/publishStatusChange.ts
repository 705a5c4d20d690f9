import { log } from "../../settings/log.ts";
import { adapters, type BusEvent } from "../adapters.ts";

/** A status that changed: of a task, of a stage or of a job. */
export interface StatusChange {
  level: "task" | "stage" | "job";
  projectKey: string;
  workflowKey: string;
  taskId: number;
  /** Of stages only. */
  stageName?: string;
  /** The job task's name; of jobs only. */
  jobName?: string;
  from: string;
  to: string;
  /** Unix seconds. */
  time: number;
}

/** A status that a release plan has taken. */
export interface PlanStatusChange {
  planId: string;
  index: number;
  name: string;
  from: string;
  to: string;
  /** Unix seconds. */
  time: number;
}

/** The bus takes no more at once. */
const maxEvents = 10;

/**
 * Tells the event bus (decisions 7.8), in the given order. Rules of the operator carry it on; nothing of ours waits for
 * it, so that what cannot be published is logged and never changes a task.
 */
export function publishStatusChange(...changes: readonly StatusChange[]): Promise<void> {
  return publish(changes.map(eventOf));
}

/** As `publishStatusChange`, for release plans. */
export function publishPlanStatus(...changes: readonly PlanStatusChange[]): Promise<void> {
  return publish(
    changes.map(({ planId, index, name, from, to, time }) => ({
      detailType: "release plan status changed",
      detail: { plan_id: planId, index, name, from, to, time },
      time,
    })),
  );
}

async function publish(events: readonly BusEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += maxEvents) {
    const batch = events.slice(at, at + maxEvents);
    try {
      const failed = await (adapters()?.events.publish(batch) ?? (await import("./publishInAws.ts")).publish(batch));
      if (failed > 0) log.error("events not published", { failed });
    } catch (error) {
      log.error("events not published", { failed: batch.length, internal: String(error) });
    }
  }
}

function eventOf(change: StatusChange): BusEvent {
  const { level, projectKey, workflowKey, taskId, stageName, jobName, from, to, time } = change;
  const detail = {
    ...{ project_key: projectKey, workflow_key: workflowKey, task_id: taskId },
    ...(stageName !== undefined && { stage_name: stageName }),
    ...(jobName !== undefined && { job_name: jobName }),
    ...{ from, to, time },
  };
  return { detailType: `${level} status changed`, detail, time };
}
