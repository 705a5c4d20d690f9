import { readFileSync } from "node:fs";
import * as z from "zod";

const changed = z.object({
  message: z.enum(["task status changed", "job status changed"]),
  timestamp: z.string(),
  workflow: z.string(),
  taskId: z.number(),
  job: z.string().default(""),
  to: z.string(),
});

/** A status that a task, or a job of it, took. */
export interface LoggedStatus {
  /** Unix milliseconds. */
  at: number;
  taskId: number;
  /** Empty for the task itself. */
  job: string;
  to: string;
}

/** What the log of this process says of the tasks of a workflow, in order: the only clock of statuses with milliseconds. */
export function loggedStatuses(workflow: string): LoggedStatus[] {
  const lines = readFileSync(process.env.SLIPWAY_LOG_FILE ?? "", "utf8").split("\n");
  return lines
    .filter((line) => line.includes(" status changed") && line.endsWith("}"))
    .flatMap((line) => changed.safeParse(JSON.parse(line)).data ?? [])
    .filter((one) => one.workflow === workflow)
    .map(({ timestamp, taskId, job, to }) => ({ at: Date.parse(timestamp), taskId, job, to }));
}

/** When a task, or a job of it, took a status. @throws when the log does not say so */
export function timeOf(statuses: readonly LoggedStatus[], wanted: Omit<LoggedStatus, "at">): number {
  const { taskId, job, to } = wanted;
  const found = statuses.find((one) => one.taskId === taskId && one.job === job && one.to === to);
  if (found === undefined) throw new Error(`task ${taskId} ${job}: nothing became ${to}`);
  return found.at;
}
