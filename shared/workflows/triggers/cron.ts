import { createHash } from "node:crypto";
import { putSchedule, removeSchedule } from "../../base/aws/schedules/timedEvents.ts";
import { parseCron } from "../../base/common/schedule/cron.ts";
import { schedulerCron } from "../../base/common/schedule/schedulerCron.ts";
import { config } from "../../base/settings/config.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { underLease } from "../../base/store/leases.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { findWorkflow } from "../saved/store/workflows.ts";
import { acceptHookDeliveries } from "./intake/acceptHookDeliveries.ts";
import type { HookDelivery } from "./records/hookDeliveries.ts";
import { findTrigger, isStanding, putTrigger, removeTrigger } from "./records/triggers.ts";
import type { CronTrigger } from "./rules/trigger.ts";

const leaseTerms = { seconds: 20, maxWaitSeconds: 25 };
/** What was due while nothing could be invoked is made up for within an hour. */
const longestDelaySeconds = 3600;

interface CronPlace {
  workflowKey: string;
  name: string;
}

/** One time of a cron, as the scheduler sends it; `at` in Unix seconds. */
export interface CronTime extends CronPlace {
  workflowId: string;
  revision: number;
  at: number;
}

/**
 * Makes EventBridge Scheduler know a cron as it is stored: one schedule, none for one that is off, or gone. Under a lease, so
 * that an older state never comes after a newer one; may be repeated.
 * @throws Error while another one does the same for long
 */
export async function syncCron(place: CronPlace): Promise<void> {
  await underLease(`cron#${place.workflowKey}#${place.name}`, leaseTerms, async () => {
    while (!(await syncOnce(place))) {
      // It was saved again meanwhile.
    }
  });
}

/** @returns false when it was saved meanwhile */
async function syncOnce(place: CronPlace): Promise<boolean> {
  const trigger = await findTrigger({ ...place, kind: "cron" });
  if (trigger === undefined) return true;
  const workflow = await findWorkflow(place.workflowKey);
  const times = parseCron(trigger.cron);
  const name = scheduleName(trigger);
  const stands = workflow !== undefined && isStanding(trigger, workflow.workflowId);
  if (!stands) {
    await removeSchedule(name);
    return tryWrite(table().write(removeTrigger(trigger)));
  }
  if (!trigger.enabled || typeof times === "string") await removeSchedule(name);
  else {
    const { workflowId, workflowKey, revision, timeZone } = trigger;
    const event = { workflowKey, workflowId, cron: trigger.name, revision, time: "<aws.scheduler.scheduled-time>" };
    const target = config().SLIPWAY_TRIGGER_STARTER_ARN;
    await putSchedule({ name, expression: schedulerCron(times), timeZone, target, event, longestDelaySeconds });
  }
  if (!trigger.unsynced) return true;
  return tryWrite(table().write(putTrigger({ ...trigger, unsynced: false }, trigger)));
}

function scheduleName({ workflowId, name }: Pick<CronTrigger, "workflowId" | "name">): string {
  return `cron-${createHash("sha256").update(`${workflowId}#${name}`).digest("hex").slice(0, 32)}`;
}

/**
 * Takes a time of a cron, once for each time. What was timed by settings that are in force no more starts nothing, and the
 * scheduler is told; what is more than an hour late counts no more.
 * @returns what is to be started
 */
export async function takeCronTime({ at, revision, ...place }: CronTime): Promise<readonly HookDelivery[]> {
  const trigger = await findTrigger({ ...place, kind: "cron" });
  const isOutdated =
    trigger === undefined ||
    !isStanding(trigger, place.workflowId) ||
    !trigger.enabled ||
    trigger.revision !== revision ||
    (await findWorkflow(place.workflowKey))?.workflowId !== place.workflowId;
  if (isOutdated) {
    await (trigger === undefined ? removeSchedule(scheduleName(place)) : syncCron(place));
    return [];
  }
  if (at + longestDelaySeconds <= nowSeconds()) return [];
  const time = new Date(at * 1000).toISOString();
  const { deliveries } = await acceptHookDeliveries({
    ...{ triggers: [trigger], event: "cron", source: scheduleName(trigger), sourceId: time },
    payload: { trigger: { event: "cron", time }, body: {} },
  });
  return deliveries;
}
