import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import type { DeliveryRef } from "./store/deliveries.ts";

/** So many tries of so many deliveries end within the function's time. */
const maxAtOnce = 10;

/**
 * Has recorded deliveries sent. The records are what counts: when a call is lost, the reconciler finds them.
 */
export async function startNotifier(refs: readonly DeliveryRef[]): Promise<void> {
  if (refs.length === 0) return;
  try {
    await enableReconciler();
    for (let at = 0; at < refs.length; at += maxAtOnce)
      await invokeLater("notifier", { deliveries: refs.slice(at, at + maxAtOnce) });
  } catch (error) {
    log.warn("notifier not started; deliveries stay due", { count: refs.length, internal: String(error) });
  }
}
