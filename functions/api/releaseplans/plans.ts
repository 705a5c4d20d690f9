import { randomUUID } from "node:crypto";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { enableReconciler } from "../../../shared/base/reconciling/enableReconciler.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { madeBefore } from "../../../shared/base/store/madeOnce.ts";
import { table } from "../../../shared/base/store/table.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { approvalPeople } from "../../../shared/releaseplans/approvalPeople.ts";
import { changePlan, contested } from "../../../shared/releaseplans/changePlan.ts";
import { jobSpec } from "../../../shared/releaseplans/jobSpec.ts";
import { newInstanceCode } from "../../../shared/releaseplans/newInstanceCode.ts";
import { copyNotifyCtls } from "../../../shared/releaseplans/notifyCtls.ts";
import { freezesAtSchedule } from "../../../shared/releaseplans/notifyOfFreezes.ts";
import { hooksOfNow } from "../../../shared/releaseplans/records/hookSetting.ts";
import { followPlan } from "../../../shared/releaseplans/records/pendingEffects.ts";
import { readPlanLog } from "../../../shared/releaseplans/records/planLog.ts";
import { allPlans, pageOfPlans } from "../../../shared/releaseplans/records/planPages.ts";
import {
  createPlan,
  findPlans,
  newPlanId,
  type PlanSummary,
  readPlanRecord,
  removePlanWrites,
  requirePlan,
} from "../../../shared/releaseplans/records/plans.ts";
import { undecided } from "../../../shared/releaseplans/rules/approval.ts";
import { type Editing, edit, newPlan, type PlanContent, replace } from "../../../shared/releaseplans/rules/edit.ts";
import { runningTasks } from "../../../shared/releaseplans/rules/jobs.ts";
import type { Plan, PlanActor, PlanJob } from "../../../shared/releaseplans/rules/plan.ts";
import { editRefusal } from "../../../shared/releaseplans/rules/status.ts";
import { stepFrom } from "../../../shared/releaseplans/rules/step.ts";
import { copySpec } from "../../../shared/releaseplans/workflowSpec.ts";
import { calendarText } from "./calendarText.ts";
import { calendar } from "./planCalendar.ts";
import { planPreview } from "./planPreview.ts";
import type { planRoutes } from "./planRoutes.ts";
import { type PlanSearch, rangeOf } from "./planSchemas.ts";
import { readEdit, rightFor } from "./readEdit.ts";
import { managerByAccount, managerById, readContent } from "./readPlan.ts";
import { callOf, requireReplacing, requireVerbs, workflowRefusal } from "./rights.ts";
import { rollbackJobs } from "./rollbackJobs.ts";
import { entryAnswer, foundPlanAnswer, jobAnswer, listItem, logAnswer, planAnswer } from "./wire.ts";

type Plans = Handlers<typeof planRoutes>;
const atOnce = 4;

async function editing(caller: Caller): Promise<Editing> {
  return { by: taskActor(caller), now: nowSeconds(), newCode: newInstanceCode(), hooks: await hooksOfNow() };
}

/** Makes a plan of what `read` says of it, which is told the plan's id. @returns the id */
async function makePlan(caller: Caller, read: (planId: string) => Promise<PlanContent>): Promise<string> {
  const before = madeBefore<string>("plan");
  if (before !== undefined) return before;
  const id = await newPlanId();
  await createPlan(newPlan(id, await read(id.planId), await editing(caller)));
  return id.planId;
}

const editPlan: Plans["editReleasePlan"] = async ({ params, body, caller }) => {
  const found = await requirePlan(params.id);
  callOf(caller);
  requireVerbs(caller, [rightFor(body.verb)]);
  const refused = editRefusal(found.status);
  if (refused !== undefined) throw new ApiError(400, refused);
  const decide = async (plan: Plan) => edit(plan, await readEdit(plan, body, caller), await editing(caller));
  const { plan } = await changePlan(params.id, decide, body.version ?? undefined);
  return saved(plan);
};

/** Who saves a schedule is told of freezes that will hold then. */
async function saved(plan: Plan) {
  const warnings = await freezesAtSchedule(plan);
  return { ...success, ...(warnings.length > 0 && { warnings }) };
}

const copyPlan: Plans["copyReleasePlan"] = async ({ params, body, caller }) => {
  const from = await requirePlan(params.id);
  const id = await makePlan(caller, (planId) => copiedContent(from, planId, body.name, caller));
  return { ...success, id };
};

const deleteOne: Plans["deleteReleasePlan"] = async ({ params, caller }) => {
  await deletePlan(params.id, taskActor(caller));
  return success;
};

const readLog: Plans["getReleasePlanLog"] = async ({ params }) => {
  const entries = await readPlanLog(params.id);
  if (entries.length === 0) throw notFound(`release plan ${params.id}`);
  return logAnswer(params.id, entries);
};

const checkUpdate: Plans["checkReleasePlanUpdate"] = async ({ params, query, caller }) => {
  const { edition, updatedBy, updatedAt } = await requirePlan(params.id);
  callOf(caller);
  requireVerbs(caller, [rightFor(query.verb)]);
  const has_update = edition > query.version;
  return { has_update, current_version: edition, updated_by: updatedBy, update_time: updatedAt };
};

const readVersion: Plans["getReleasePlanVersion"] = async ({ params: { id, version } }) => {
  const made = (await readPlanLog(id)).filter(({ edition }) => edition === version);
  if (made.length === 0) throw notFound(`version ${version} of release plan ${id}`);
  return { version, list: made.map((entry) => entryAnswer(id, entry)) };
};

const readJob: Plans["getReleaseJob"] = async ({ params, caller }) => {
  const plan = await requirePlan(params.id);
  const job = plan.jobs.find(({ id }) => id === params.jobID);
  const goingBack = job === undefined ? await rollbackJobs(plan, caller) : [];
  const rollback = goingBack.find(({ id }) => id === params.jobID);
  if (rollback !== undefined) return rollback;
  if (job === undefined) throw notFound(`job ${params.jobID} of release plan ${params.id}`);
  return jobAnswer(job, await specFor(job, caller));
};

const readStatistics: Plans["getReleasePlanStatistics"] = async ({ query: { start_time, end_time } }) => {
  return monthsOfPlans(await allPlans(), start_time, end_time).map(({ month, count, averageDuration, averageWait }) => {
    return { month, count, average_duration: averageDuration, average_wait: averageWait };
  });
};

const readCalendar: Plans["getReleasePlanCalendar"] = async ({ query }) => {
  const now = nowSeconds();
  const range = rangeOf(query, now);
  const items = await calendar(range.from, range.to);
  return query.format === "ics" ? calendarText(items, range, now) : { items };
};

const preview: Plans["previewReleasePlan"] = async ({ params, caller }) =>
  planPreview(await requirePlan(params.id), caller);

export const planHandlers: Plans = {
  listReleasePlans: async ({ query }) => {
    const { total, plans } = await pageOfPlans(query.pageNum, query.pageSize);
    return { list: await Promise.all(plans.map(listItem)), total };
  },
  getReleasePlan: async ({ params, caller }) => {
    const plan = await requirePlan(params.id);
    const jobs = await mapBounded(plan.jobs, atOnce, async (job) => jobAnswer(job, await specFor(job, caller)));
    return planAnswer(plan, [...jobs, ...(await rollbackJobs(plan, caller))]);
  },
  createReleasePlan: async ({ body, caller }) => {
    const manager = await managerByAccount(body);
    return { id: await makePlan(caller, (planId) => readContent(planId, body, manager, caller)) };
  },
  replaceReleasePlan: async ({ params, body, caller }) => {
    const found = await requirePlan(params.id);
    requireReplacing(caller, found);
    const manager = await managerByAccount(body);
    const content = await readContent(params.id, body, manager, caller, found.notify ?? null);
    const decide = async (plan: Plan) => {
      const { jiraSprintAssociation } = plan;
      return replace(plan, { ...content, jiraSprintAssociation }, await editing(caller));
    };
    const { plan } = await changePlan(params.id, decide, body.version ?? undefined);
    return saved(plan);
  },
  searchReleasePlans: async ({ query }) => {
    const { total, plans } = await searchPlans(query);
    const whole = await findPlans(plans.map(({ planId }) => planId));
    return { list: await Promise.all(whole.map(foundPlanAnswer)), total };
  },
  getConsoleReleasePlan: async ({ params, caller }) => {
    const plan = await readPlanRecord(params.id);
    const jobs = plan.jobs.map(async (job) => jobAnswer(job, job.type === "text" ? await jobSpec(job, false) : null));
    const shown = [...(await Promise.all(jobs)), ...(await rollbackJobs(plan, caller))];
    return planAnswer(plan, shown, await approvalPeople(plan.approval));
  },
  createWholeReleasePlan: async ({ body, caller }) => {
    const manager = await managerById(body.manager_id, body.manager);
    await makePlan(caller, (planId) => readContent(planId, body, manager, caller));
    return success;
  },
  getConsoleReleaseJob: readJob,
  getReleaseJob: readJob,
  editConsoleReleasePlan: editPlan,
  editReleasePlan: editPlan,
  copyConsoleReleasePlan: copyPlan,
  copyReleasePlan: copyPlan,
  deleteConsoleReleasePlan: deleteOne,
  deleteReleasePlan: deleteOne,
  getConsoleReleasePlanLog: readLog,
  getReleasePlanLog: readLog,
  checkConsoleReleasePlanUpdate: checkUpdate,
  checkReleasePlanUpdate: checkUpdate,
  getConsoleReleasePlanVersion: readVersion,
  getReleasePlanVersion: readVersion,
  getConsoleReleasePlanStatistics: readStatistics,
  getReleasePlanStatistics: readStatistics,
  previewConsoleReleasePlan: preview,
  previewReleasePlan: preview,
  getConsoleReleasePlanCalendar: readCalendar,
  getReleasePlanCalendar: readCalendar,
};

/** What the caller may see of a job: who may not read its workflow sees which one it is, and how it goes. */
async function specFor(job: PlanJob, caller: Caller): Promise<Record<string, unknown>> {
  const { workflow } = job;
  const isHidden = workflow !== undefined && (await workflowRefusal(caller, "get_workflow", workflow)) !== undefined;
  return jobSpec(job, isHidden);
}

/** Everything of a plan but what happened to it. A caller who copies a workflow job must be allowed to run it. */
async function copiedContent(from: Plan, planId: string, name: string, caller: Caller): Promise<PlanContent> {
  const { manager, managerId, description, startTime, endTime, scheduleExecuteTime, settings } = from;
  const fresh = { status: "", lastStatus: "", updated: false, executedBy: "", executedTime: 0 } as const;
  const jobs = await mapBounded(from.jobs, atOnce, async (job): Promise<PlanJob> => {
    const copy: PlanJob = { ...job, id: randomUUID(), ...fresh };
    if (job.workflow === undefined) return copy;
    const refused = await workflowRefusal(caller, "run_workflow", job.workflow);
    if (refused !== undefined) throw new ApiError(403, `job ${job.name}: ${refused}`);
    return { ...copy, ...(await copySpec(from.planId, job, planId, taskActor(caller))) };
  });
  return {
    ...{ name, manager, managerId, description, startTime, endTime, scheduleExecuteTime, settings, jobs },
    jiraSprintAssociation: from.jiraSprintAssociation,
    notify: await copyNotifyCtls(from.planId, from.notify ?? null, planId),
    approval: from.approval === null ? null : undecided(from.approval),
  };
}

/** A page of the plans that a search finds; without one the page is found by its number. @throws ApiError 400 */
async function searchPlans(search: PlanSearch): Promise<{ total: number; plans: PlanSummary[] }> {
  const { pageNum, pageSize, type = "", keyword = "", startTime, endTime } = search;
  const byKeyword = type !== "" && keyword !== "" ? keywordFilter(type, keyword) : undefined;
  if (byKeyword === undefined && startTime === undefined && endTime === undefined)
    return pageOfPlans(pageNum, pageSize);
  const overlaps = (plan: PlanSummary) =>
    (startTime === undefined && endTime === undefined) ||
    (plan.endTime !== 0 && plan.endTime >= (startTime ?? 0) && plan.startTime <= (endTime ?? plan.startTime));
  const found = (await allPlans()).filter((plan) => (byKeyword?.(plan) ?? true) && overlaps(plan));
  return { total: found.length, plans: found.slice((pageNum - 1) * pageSize, pageNum * pageSize) };
}

function keywordFilter(type: NonNullable<PlanSearch["type"]>, keyword: string): (plan: PlanSummary) => boolean {
  const text = keyword.toLowerCase();
  switch (type) {
    case "name":
      return ({ name }) => name.toLowerCase().includes(text);
    case "manager":
      return ({ manager }) => manager.toLowerCase().includes(text);
    case "status": {
      const wanted = keyword.split(",");
      return ({ status }) => wanted.includes(status);
    }
    default: {
      const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(keyword) ?? [];
      if (from === undefined || to === undefined)
        throw badRequest([{ in: "query", path: "keyword", problem: "must be <from>-<to> in Unix seconds" }]);
      const isInside = (time: number) => time >= Number(from) && time <= Number(to);
      return (plan) => isInside(type === "success_time" ? plan.successTime : plan.updatedAt);
    }
  }
}

/** Deletes a plan in any status; tasks that run for it are cancelled, its log stays. @throws ApiError 404, 409 */
async function deletePlan(planId: string, by: PlanActor): Promise<void> {
  await contested(planId, undefined, async (plan) => {
    const cancels = runningTasks(plan.jobs);
    const entry = { by, verb: "delete", targetType: "release_plan", targetName: plan.name, detail: "deleted" } as const;
    await enableReconciler();
    await table().write(...removePlanWrites(plan, { ...stepFrom(plan), log: [entry], cancels }));
  });
  await followPlan(planId);
}

/** Plans that succeeded, by the month (UTC) in which their execution began. */
interface MonthOfPlans {
  /** `2026-11` */
  month: string;
  count: number;
  /** Mean seconds from the begin of the execution to the success. */
  averageDuration: number;
  /** Mean seconds from the approval to the begin of the execution, of those plans that had one; 0 without any. */
  averageWait: number;
}

type Times = Pick<Plan, "approvalTime" | "executingTime" | "successTime">;

/** By month, the first one first; only plans whose execution began between the times, both included. */
export function monthsOfPlans(plans: readonly Times[], from: number, to: number): MonthOfPlans[] {
  const counted = plans.filter(
    ({ executingTime, successTime }) => successTime > 0 && executingTime >= from && executingTime <= to,
  );
  const months = Map.groupBy(counted, ({ executingTime }) => new Date(executingTime * 1000).toISOString().slice(0, 7));
  return [...months]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, all]) => ({
      ...{ month, count: all.length },
      averageDuration: mean(all.map(({ executingTime, successTime }) => successTime - executingTime)),
      averageWait: mean(
        all.flatMap(({ approvalTime, executingTime }) => (approvalTime === 0 ? [] : [executingTime - approvalTime])),
      ),
    }));
}

function mean(seconds: readonly number[]): number {
  return seconds.length === 0 ? 0 : seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}
