import { createHash } from "node:crypto";
import type { Attributes } from "@opentelemetry/api";
import { openTelemetry, tracerOf } from "../../../base/tracing/openTelemetry.ts";
import { areSpanIdsGiven, withSpanId } from "../../../base/tracing/spanIds.ts";
import { withParent } from "../../../base/tracing/traceparent.ts";
import { planOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import type { JobRecord, Task } from "../../records/task.ts";

/** Traces a run of a task that has ended; traced again, it is the same span. */
export function traceTask(task: Task): void {
  const { traceparent: parent, owner, taskId, status, createTime, startTime, endTime, retryNum } = task;
  if (parent === undefined) return;
  recordSpan({
    ...{ name: `${owner.kind} ${owner.key}`, parent, id: spanIdOf(task) },
    // It waits for its slot from when it is created, or retried.
    ...{ startTime: retryNum === 0 ? createTime : startTime, endTime, failure: failureOf(status) },
    attributes: attributesOf(task, { "slipway.task_id": taskId, "slipway.status": status }),
  });
}

/** Traces a job that has ended, as a part of the run of its task. */
export function traceJob({ task, plan }: WholeTask, job: JobRecord): void {
  const { traceparent, taskId } = task;
  const { name, status, startTime, endTime } = job;
  if (traceparent === undefined) return;
  recordSpan({
    name: `job ${planOf(plan, job)?.type ?? ""}`,
    // Without ids that are known before, the task cannot be named: job and task are parts of the same request.
    parent: areSpanIdsGiven() ? withParent(traceparent, spanIdOf(task)) : traceparent,
    ...{ startTime, endTime, failure: failureOf(status) },
    attributes: attributesOf(task, { "slipway.task_id": taskId, "slipway.job": name, "slipway.status": status }),
  });
}

/** The same for every process that traces a part of the run, before and after a crash. */
function spanIdOf({ recordId, retryNum }: Task): string {
  return createHash("sha256").update(`${recordId} ${retryNum}`).digest("hex").slice(0, 16);
}

function attributesOf<T extends object>({ owner }: Task, more: T) {
  return { "slipway.project": owner.projectKey, "slipway.workflow": owner.key, ...more };
}

/** A task that was cancelled, or a job that was skipped, has not failed. */
function failureOf(status: string): string | undefined {
  return ["failed", "timeout", "reject"].includes(status) ? status : undefined;
}

/** Something that has ended. */
interface PastSpan {
  name: string;
  /** `traceparent` of what it is a part of. */
  parent: string;
  /** Chosen where others are a part of it and were told before: 16 hex characters. */
  id?: string | undefined;
  /** Unix seconds. */
  startTime: number;
  endTime: number;
  attributes: Attributes;
  /** In one word why it counts as failed. */
  failure?: string | undefined;
}

/** Records something that has ended, wherever and whenever it began. Nothing where traces are not collected. */
function recordSpan({ name, parent, id, startTime, endTime, attributes, failure }: PastSpan): void {
  const api = openTelemetry();
  if (api === undefined) return;
  const { propagation, ROOT_CONTEXT, SpanStatusCode } = api;
  const within = propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  const options = { startTime: new Date(startTime * 1000), attributes };
  const span = withSpanId(id, () => tracerOf(api).startSpan(name, options, within));
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(new Date(endTime * 1000));
}
