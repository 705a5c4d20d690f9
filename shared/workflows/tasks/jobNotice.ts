import type { JobNotice } from "../../notify/rules/taskNotice.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import type { Tree } from "../definition/tree.ts";
import type { JobPlan, JobRecord } from "../records/task.ts";

/** What messages say about a job of a task, of its shown spec (contract W 4.3, 4.4). */
export function jobNotice(plan: JobPlan, record: JobRecord | undefined, spec: Tree): JobNotice {
  const { status = "", startTime = 0, endTime = 0, error = "", outputs = {} } = record ?? {};
  const { name, displayName, type } = plan;
  const said = jobKindOf(type)?.notice?.(spec, outputs) ?? { kind: "other" as const };
  return { name, displayName, type, status, startTime, endTime, error, spec: said };
}
