import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { awsClientOptions, config, keptWithConfig } from "../../settings/config.ts";
import { log } from "../../settings/log.ts";

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

/** PutEvents takes no more at once. */
const maxEntries = 10;
const eventBridge = keptWithConfig(() => new EventBridgeClient(awsClientOptions()));

/**
 * Tells the event bus (decisions 7.8), in the given order. Rules of the operator carry it on; nothing of ours waits for
 * it, so that what cannot be published is logged and never changes a task.
 */
export function publishStatusChange(...changes: readonly StatusChange[]): Promise<void> {
  return publish(changes.map(entryOf));
}

/** As `publishStatusChange`, for release plans. */
export function publishPlanStatus(...changes: readonly PlanStatusChange[]): Promise<void> {
  return publish(
    changes.map(({ planId, index, name, from, to, time }) =>
      busEntry("release plan status changed", { plan_id: planId, index, name, from, to, time }),
    ),
  );
}

async function publish(entries: readonly PutEventsRequestEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += maxEntries) {
    const Entries = entries.slice(at, at + maxEntries);
    try {
      const { FailedEntryCount: failed = 0 } = await eventBridge().send(new PutEventsCommand({ Entries }));
      if (failed > 0) log.error("events not published", { failed });
    } catch (error) {
      log.error("events not published", { failed: Entries.length, internal: String(error) });
    }
  }
}

function entryOf({
  level,
  projectKey,
  workflowKey,
  taskId,
  stageName,
  jobName,
  from,
  to,
  time,
}: StatusChange): PutEventsRequestEntry {
  const detail = {
    ...{ project_key: projectKey, workflow_key: workflowKey, task_id: taskId },
    ...(stageName !== undefined && { stage_name: stageName }),
    ...(jobName !== undefined && { job_name: jobName }),
    ...{ from, to, time },
  };
  return busEntry(`${level} status changed`, detail);
}

function busEntry(
  DetailType: string,
  detail: Readonly<Record<string, unknown>> & { time: number },
): PutEventsRequestEntry {
  return {
    EventBusName: config().SLIPWAY_EVENT_BUS,
    Source: "slipway",
    DetailType,
    Detail: JSON.stringify(detail),
    Time: new Date(detail.time * 1000),
  };
}
