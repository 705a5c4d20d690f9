import { recordDeliveries } from "../integrations/notify/recordDeliveries.ts";
import type { PlannedDelivery } from "../integrations/notify/rules/plannedDeliveries.ts";
import { secretOf } from "../integrations/notify/settings.ts";
import { startNotifier } from "../integrations/notify/startNotifier.ts";
import { changePlan } from "./changePlan.ts";
import { planPayload } from "./planPayload.ts";
import { hookRecord, readHookSetting } from "./records/hookSetting.ts";
import type { PendingEffect } from "./records/pendingEffects.ts";
import { aboutPlan, planEvent } from "./records/planDeliveries.ts";
import { findPlan } from "./records/plans.ts";
import { statusOfEvent } from "./rules/callback.ts";
import { noted } from "./rules/noted.ts";
import type { HookEvent, Plan } from "./rules/plan.ts";

/**
 * Has the external system told of what a write of a plan reached, by deliveries that are recorded first: done again, they
 * are the same ones. Address and secret are those that stand in the setting now.
 */
export async function notifyPlanHooks({ planId, owedId, tells }: PendingEffect): Promise<void> {
  if (tells === undefined || tells.hooks.length === 0) return;
  const { plan, hooks } = tells;
  const { setting } = await readHookSetting();
  if (!setting.enable) {
    const detail = `not told of ${hooks.join(", ")}: external checks were switched off`;
    if ((await findPlan(planId)) !== undefined) await changePlan(planId, (now) => noted(now, detail));
    return;
  }
  const token = await secretOf(hookRecord.kind, hookRecord.id, "secret");
  const { address } = setting;
  const destination = {
    target: URL.parse(address)?.host ?? "no address",
    secrets: { address, token, signingKey: token },
  };
  for (const event of hooks) {
    const planned = [{ type: "webhook", ...destination, parts: [await partOf(plan, event)] } as const];
    const recorded = { about: aboutPlan(plan, owedId), jobName: "", event, index: -1, hookEvent: planEvent };
    await startNotifier(await recordDeliveries(planned, recorded));
  }
}

/** Says the status that came with the event, though the same write may have led further. */
async function partOf(plan: Plan, event: HookEvent): Promise<PlannedDelivery["parts"][number]> {
  return {
    via: "hook",
    body: JSON.stringify(await planPayload({ ...plan, status: statusOfEvent(plan, event) }, event)),
  };
}
