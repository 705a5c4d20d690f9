import { log } from "../../base/settings/log.ts";
import { type AboutTask, recordDeliveries } from "./recordDeliveries.ts";
import { callbackAddress, type LegacyCallback, legacyCallbackBody } from "./rules/legacyCallback.ts";
import { startNotifier } from "./startNotifier.ts";

/**
 * Tells a legacy task's end to the address that its creation call gave (contract W 15.6): no token, a signature where it
 * gave a secret (decisions 7.8), up to three tries. Repeating it is no second call; it never fails, and changes no task.
 */
export async function sendCallback(about: AboutTask, callback: LegacyCallback): Promise<void> {
  const address = callbackAddress(callback.callbackUrl);
  const body = JSON.stringify(legacyCallbackBody(callback));
  const target = URL.parse(address)?.host ?? "no address";
  try {
    const refs = await recordDeliveries(
      [
        {
          type: "callback",
          target,
          parts: [{ via: "hook", body }],
          secrets: { address, ...(callback.secret !== "" && { signingKey: callback.secret }) },
        },
      ],
      { about, jobName: "", event: callback.status, index: -1, hookEvent: "" },
    );
    await startNotifier(refs);
  } catch (error) {
    log.error("callback not recorded", { taskRecordId: about.taskRecordId, internal: String(error) });
  }
}
