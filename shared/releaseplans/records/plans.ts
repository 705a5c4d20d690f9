import { notifyChange } from "../../access/events/store/changeEvents.ts";
import { ApiError, notFound } from "../../base/errors/apiError.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { newId } from "../../base/store/ids.ts";
import { keys, lists, padded } from "../../base/store/keys/keys.ts";
import { recordMade } from "../../base/store/madeOnce.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, named, remove, replace, type Write } from "../../base/store/writes.ts";
import type { Plan } from "../rules/plan.ts";
import type { Step } from "../rules/step.ts";
import { pendingEffects, pendingEffectsOfEnd } from "./pendingEffects.ts";
import { logWrites } from "./planLog.ts";
import { countPlan } from "./planPages.ts";

/** What lists show of a plan, and are searched by. */
export type PlanSummary = Pick<
  Plan,
  | "planId"
  | "index"
  | "name"
  | "manager"
  | "description"
  | "createdBy"
  | "createdAt"
  | "status"
  | "startTime"
  | "endTime"
  | "scheduleExecuteTime"
  | "approvalTime"
  | "executingTime"
  | "successTime"
  | "updatedAt"
>;

/** A plan as it was read: `version` is what a write of it must still meet. */
export type StoredPlan = Item<Plan & { logCount: number }>;

/** DynamoDB takes items of 400 KB; the list holds some of it once more. */
const maxBytes = 350 * 1024;

const counterKey = keys.counter("release-plans");

/** A new plan's names: its number is never given again, whether the plan comes to be or not. */
export async function newPlanId(): Promise<Pick<Plan, "planId" | "index">> {
  const { value } = await table().add(counterKey, 1);
  return { planId: newId(), index: value };
}

export async function findPlan(planId: string): Promise<StoredPlan | undefined> {
  return table().get<StoredPlan>(keys.releasePlan(planId));
}

/** For half the units: as it was a moment ago. @throws ApiError 404 */
export async function readPlanRecord(planId: string): Promise<StoredPlan> {
  const plan = await table().get<StoredPlan>(keys.releasePlan(planId), { consistent: false });
  if (plan === undefined) throw planMissing(planId);
  return plan;
}

/** @throws ApiError 404 */
export async function requirePlan(planId: string): Promise<StoredPlan> {
  const plan = await findPlan(planId);
  if (plan === undefined) throw planMissing(planId);
  return plan;
}

function planMissing(planId: string): ApiError {
  return notFound(`release plan ${planId}`);
}

/** Plans by their ids, in that order; what was deleted meanwhile is left out. */
export async function findPlans(planIds: readonly string[]): Promise<StoredPlan[]> {
  const found = await table().getMany<StoredPlan>(planIds.map(keys.releasePlan), { consistent: false });
  const byId = new Map(found.map((plan) => [plan.planId, plan]));
  return planIds.flatMap((id) => byId.get(id) ?? []);
}

export async function createPlan({ plan, log }: Step): Promise<void> {
  const entries = logWrites(plan, 0, log);
  await table().write(
    create(itemOf(plan, entries.length)),
    countPlan(plan.index, 1),
    ...entries,
    tellPlan(plan),
    ...recordMade({ kind: "plan", id: plan.planId }),
  );
}

/**
 * The writes of a step on the plan that was read, with its log and its pending effects, for one transaction. The first
 * write is lost when another call was faster.
 */
export function planWrites(before: StoredPlan, step: Step): Write[] {
  const { plan, log } = step;
  const entries = logWrites(plan, before.logCount, log);
  const item = itemOf(plan, before.logCount + entries.length);
  return [
    named("release plan", replace(item, before.version)),
    ...entries,
    ...pendingEffects(before, step),
    tellPlan(plan),
  ];
}

/** The plan goes; its log stays. */
export function removePlanWrites(before: StoredPlan, { log, cancels }: Step): Write[] {
  return [
    named("release plan", remove(keys.releasePlan(before.planId), mustHaveVersion(before.version))),
    countPlan(before.index, -1),
    ...logWrites(before, before.logCount, log),
    pendingEffectsOfEnd(before, cancels),
    tellPlan(before, "deleted"),
  ];
}

/** Reports the state of a plan to the clients that follow changes. */
function tellPlan({ planId: key, name, status }: Plan, state: string = status): Write {
  return notifyChange({ kind: "release_plan", projectKey: "", key, name, state });
}

/** @throws ApiError 400 for one that is too large to be stored */
function itemOf(plan: Plan, logCount: number) {
  const { planId, index, name, manager, description, createdBy, createdAt, status } = plan;
  const { startTime, endTime, scheduleExecuteTime, approvalTime, executingTime, successTime, updatedAt } = plan;
  const summary: PlanSummary = {
    ...{ planId, index, name, manager, description, createdBy, createdAt, status },
    ...{ startTime, endTime, scheduleExecuteTime, approvalTime, executingTime, successTime, updatedAt },
  };
  const item = {
    ...plan,
    ...keys.releasePlan(planId),
    type: "release-plan",
    ...{ logCount, summary, listPk: lists.releasePlans, listSk: padded(index) },
  };
  if (Buffer.byteLength(JSON.stringify(item)) <= maxBytes) return item;
  throw new ApiError(400, "the plan is too large: use shorter names, fewer approvers or fewer jobs");
}
