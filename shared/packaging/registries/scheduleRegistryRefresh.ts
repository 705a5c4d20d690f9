import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";

/**
 * Asks for the pull secrets of a registry to be written again. The due item that was stored with the change is what
 * counts: when the call is lost, the reconciler finds it.
 */
export async function scheduleRegistryRefresh(registryId: string): Promise<void> {
  try {
    await enableReconciler();
    await invokeLater("registry-refresh", { registryId });
  } catch (error) {
    log.warn("registry refresh not started; it stays due", { registryId, internal: String(error) });
  }
}
