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

/** PutEvents takes no more at once. */
const maxEntries = 10;
const eventBridge = keptWithConfig(() => new EventBridgeClient(awsClientOptions()));

/**
 * Tells the event bus (decisions 7.8), in the given order. Rules of the operator carry it on; nothing of ours waits for
 * it, so that what cannot be published is logged and never changes a task.
 */
export async function publishStatusChange(...changes: readonly StatusChange[]): Promise<void> {
  for (let at = 0; at < changes.length; at += maxEntries) {
    const Entries = changes.slice(at, at + maxEntries).map(entryOf);
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
  return {
    EventBusName: config().SLIPWAY_EVENT_BUS,
    Source: "slipway",
    DetailType: `${level} status changed`,
    Detail: JSON.stringify(detail),
    Time: new Date(time * 1000),
  };
}
