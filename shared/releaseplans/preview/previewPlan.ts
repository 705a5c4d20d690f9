import { mapBounded } from "../../base/common/mapBounded.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { FreezeInWindow } from "../../projects/freezes/rules/windows.ts";
import { findFreezes } from "../../projects/freezes/store/freezes.ts";
import type { Approver } from "../../workflows/records/rules/approval.ts";
import { approvalPeople } from "../approvalPeople.ts";
import { isBarred } from "../rules/approval.ts";
import type { Plan } from "../rules/plan.ts";
import { type FreezeRange, type JobAhead, jobAhead } from "./jobAhead.ts";
import { lookAtAll } from "./lookAtAll.ts";
import type { PreviewReader } from "./reader.ts";

/** What a plan would do if it went on now. */
export interface PlanAhead {
  jobs: JobAhead[];
  /** Freezes that meet any of its jobs, with the names of those. */
  freezes: (FreezeInWindow & { jobs: string[] })[];
  /** Who may still decide, of those whom the approval names; undefined without an approval. */
  approval: { waiting: Approver[]; approved: number } | undefined;
}

const jobsAtOnce = 8;
/** Without the end of a window freezes are looked for this far ahead. */
const aheadSeconds = 30 * 24 * 3600;

/**
 * Finds out what every job of a plan would do, what prevents it, and who is waited for. Nothing is written; what cannot
 * be found out is an error of its job, its environment or its service alone.
 */
export async function previewPlan(plan: Plan, reader: PreviewReader): Promise<PlanAhead> {
  const range = rangeOf(plan, nowSeconds());
  const freezes = await findFreezes();
  const planned = await mapBounded(plan.jobs, jobsAtOnce, (job) => jobAhead(plan, job, reader, { freezes, range }));
  const jobs = await lookAtAll(planned, reader);
  return { jobs, freezes: freezesOf(jobs), approval: await approvalAhead(plan) };
}

/** From now on, to the end of the window. */
function rangeOf({ endTime, scheduleExecuteTime }: Plan, now: number): FreezeRange {
  const to = endTime > now ? endTime : Math.max(now, scheduleExecuteTime) + aheadSeconds;
  return { from: now, to, most: 5 };
}

function freezesOf(jobs: readonly JobAhead[]): PlanAhead["freezes"] {
  const found = new Map<string, PlanAhead["freezes"][number]>();
  for (const { job, freezes } of jobs)
    for (const one of freezes) {
      const key = `${one.freeze.freezeId} ${one.start}`;
      found.set(key, { ...one, jobs: [...(found.get(key)?.jobs ?? []), job.name] });
    }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/** Before it begins everybody who is named now is waited for; afterwards those who have not decided. */
async function approvalAhead(plan: Plan): Promise<PlanAhead["approval"]> {
  const { approval } = plan;
  if (approval?.enabled !== true) return undefined;
  const people = approval.approvers.length > 0 ? approval.approvers : await approvalPeople(approval);
  const isOver = approval.status !== "";
  return {
    waiting: isOver ? [] : people.filter(({ userId, decision }) => decision === "" && !isBarred(plan, userId)),
    approved: people.filter(({ decision }) => decision === "approve").length,
  };
}
