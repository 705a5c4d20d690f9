import { findUser } from "../access/identity/store/users.ts";
import { config } from "../base/settings/config.ts";
import { readied } from "../integrations/notify/announce.ts";
import { recordDeliveries } from "../integrations/notify/recordDeliveries.ts";
import { destinationOf } from "../integrations/notify/rules/destination.ts";
import { plannedDeliveries } from "../integrations/notify/rules/plannedDeliveries.ts";
import { startNotifier } from "../integrations/notify/startNotifier.ts";
import { openNotifyCtls } from "./notifyCtls.ts";
import { planPayload } from "./planPayload.ts";
import type { PendingEffect } from "./records/pendingEffects.ts";
import { aboutPlan, planEvent } from "./records/planDeliveries.ts";
import { planMessage } from "./rules/planMessage.ts";

/**
 * Notifies the recipients in the plan's notification settings of the statuses that a write of the plan took, and all of
 * them of its alerts; a repetition sends no second message. Where a setting names the starter of a task, the plan's
 * manager is meant.
 */
export async function notifyOfPlan({ owedId, tells }: PendingEffect): Promise<void> {
  const notify = tells?.plan.notify;
  if (tells === undefined || !notify) return;
  const told = [
    ...tells.statuses.map((status) => ({ event: status, status, alert: undefined })),
    ...tells.alerts.map((alert) => ({ event: alert.event, status: tells.plan.status, alert })),
  ];
  if (told.length === 0) return;
  const { planId, managerId } = tells.plan;
  const ctls = await openNotifyCtls(planId, notify);
  const creator = { id: managerId, email: (await findUser(managerId))?.email ?? "" };
  for (const { event, status, alert } of told) {
    const plan = { ...tells.plan, status };
    const message = planMessage(plan, config().SLIPWAY_CONSOLE_ADDRESS, alert);
    const payload = await planPayload(plan, event, alert?.detail);
    for (const [index, ctl] of ctls.entries()) {
      if (!ctl.enabled || (alert === undefined && !ctl.notify_type.includes(status))) continue;
      const destination = destinationOf(ctl, { render: () => "", creator, stageExecutors: [] });
      if (destination === undefined) continue;
      const planned = plannedDeliveries(await readied(destination), message, () => payload);
      const about = aboutPlan(plan, owedId);
      await startNotifier(await recordDeliveries(planned, { about, jobName: "", event, index, hookEvent: planEvent }));
    }
  }
}
