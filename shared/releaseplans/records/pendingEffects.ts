import { publishPlanStatus } from "../../base/aws/events/publishStatusChange.ts";
import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { newId, nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { create, remove, type Write } from "../../base/store/writes.ts";
import type { LeftInstance } from "../../integrations/approvals/rules/openRound.ts";
import type { Alert } from "../rules/alert.ts";
import { isJobOver } from "../rules/jobs.ts";
import type { HookEvent, Plan, PlannedTask } from "../rules/plan.ts";
import { isRollingBack } from "../rules/rollback.ts";
import type { PlanStatus } from "../rules/status.ts";
import type { Step } from "../rules/step.ts";
import { isScheduled } from "../rules/times.ts";
import { leftInstance, openVendorApproval } from "../rules/vendorApproval.ts";

/** What is still to be done after a write of a plan. */
export interface PendingEffect {
  planId: string;
  owedId: string;
  /** Tasks that the plan let go, to be cancelled. */
  cancels: readonly PlannedTask[];
  /** A round that began with the write. */
  round?: number;
  /** Events, statuses and alerts that others are to be told of, in order, and the plan as the write left it. */
  tells?: { hooks: readonly HookEvent[]; statuses: readonly PlanStatus[]; alerts: readonly Alert[]; plan: Plan };
  /** A rollback that began with the write: owed until the rollback has ended. */
  rollsBack?: true;
  /** It is to be looked whether a freeze will hold at the plan's schedule. */
  looksAhead?: true;
  /** An approval at a chat service that is to be opened. */
  opens?: true;
  /** An approval at a chat service that is to be taken back. */
  leaves?: LeftInstance;
}

/** What a step leaves to be done; undefined when that is nothing. */
function owedAfter(
  before: Plan,
  { plan, cancels, hooks, log, alerts }: Step,
): Omit<PendingEffect, "planId" | "owedId"> | undefined {
  const over = (one: Plan) => one.jobs.filter(isJobOver).length;
  const hasEnded = over(plan) > over(before);
  const mayStart = plan.starting !== null && (before.starting === null || hasEnded);
  const rollsBack = isRollingBack(plan) && !isRollingBack(before);
  const mayGoBack = isRollingBack(plan) && hasEnded;
  const isMoved = plan.status !== before.status || plan.round !== before.round;
  const isRescheduled = plan.scheduleExecuteTime !== before.scheduleExecuteTime;
  const looksAhead = (isMoved || isRescheduled) && isScheduled(plan, nowSeconds());
  const isTold = alerts.length > 0 && plan.notify !== null;
  if (![cancels.length > 0, isMoved, mayStart, rollsBack, mayGoBack, looksAhead, isTold].includes(true))
    return undefined;
  const statuses = (plan.notify?.statuses ?? []).filter((status) =>
    log.some(({ targetType, after }) => targetType === "release_plan_status" && after === status),
  );
  const leaves = leftInstance(before, plan);
  const opens = plan.status !== before.status && openVendorApproval(plan) !== undefined;
  return {
    cancels,
    ...(plan.round !== before.round && { round: plan.round }),
    ...((hooks.length + statuses.length > 0 || isTold) && { tells: { hooks, statuses, alerts, plan } }),
    ...(looksAhead && { looksAhead }),
    ...(rollsBack && { rollsBack }),
    ...(opens && { opens }),
    ...(leaves && { leaves }),
  };
}

/** Goes with the write of the plan. */
export function pendingEffects(before: Plan, step: Step): Write[] {
  const owed = owedAfter(before, step);
  return owed === undefined ? [] : [debt(before.planId, owed)];
}

/** Goes with the removal of the plan: its machine has nothing to wait for. */
export function pendingEffectsOfEnd(plan: Plan, cancels: readonly PlannedTask[]): Write {
  const leaves = leftInstance(plan, undefined);
  return debt(plan.planId, { cancels, ...(leaves && { leaves }) });
}

function debt(planId: string, owed: Omit<PendingEffect, "planId" | "owedId">): Write {
  const owedId = newId();
  const due = { duePk: dues.releasePlans, dueSk: `${padded(nowSeconds())}#${planId}#${owedId}` };
  return create({
    ...keys.releasePlanOwed(planId, owedId),
    type: "release-plan-owed",
    planId,
    owedId,
    ...owed,
    ...due,
  });
}

/** Writes a step by `write`, tells of it, and lets what it owes be done; by the reconciler when this process dies meanwhile. */
export async function writeWithEffects(before: Plan, step: Step, write: () => Promise<unknown>): Promise<void> {
  const owes = owedAfter(before, step) !== undefined;
  if (owes) await enableReconciler();
  await write();
  await announcePlan(step);
  if (owes) await followPlan(before.planId);
}

/** Starts the function that does what the plan owes. */
export function followPlan(planId: string): Promise<void> {
  return invokeLater("plan-follower", { planId });
}

/** Of one plan, consistently, the oldest first. */
export function findPendingEffects(planId: string): Promise<PendingEffect[]> {
  return table().query<PendingEffect>({ pk: keys.releasePlan(planId).pk, prefix: keys.releasePlanOwed(planId, "").sk });
}

/** Plans that still owe something. */
export async function findPlansWithEffects(): Promise<string[]> {
  const items = await table().query<object>({ index: "due", pk: dues.releasePlans });
  return [...new Set(items.map(({ pk }) => pk.slice(keys.releasePlan("").pk.length)))];
}

export function removePendingEffect({ planId, owedId }: PendingEffect): Promise<void> {
  return table().write(remove(keys.releasePlanOwed(planId, owedId)));
}

/** Tells the event bus of every status that a plan has taken by a step which is stored; may be told twice. */
async function announcePlan({ plan, log }: Pick<Step, "plan" | "log">): Promise<void> {
  const { planId, index, name } = plan;
  const changes = log.filter(({ targetType }) => targetType === "release_plan_status");
  const time = nowSeconds();
  await publishPlanStatus(
    ...changes.map(({ before, after }) => ({ planId, index, name, from: String(before), to: String(after), time })),
  );
}
