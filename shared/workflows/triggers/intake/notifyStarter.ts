import { invokeLater } from "../../../base/aws/functions/invokeLater.ts";
import { log } from "../../../base/settings/log.ts";
import type { HookDeliveryRef } from "../records/hookDeliveries.ts";

/** Has tasks started, or the schedule of a cron kept. The due record is what counts: a call that is lost is made up for. */
export async function notifyStarter(
  event: Readonly<HookDeliveryRef> | { workflowKey: string; sync: string },
): Promise<void> {
  try {
    await invokeLater("trigger-starter", event);
  } catch (error) {
    log.warn("trigger not passed on; it stays due", { ...event, internal: String(error) });
  }
}
