import * as z from "zod";
import { log } from "../../../shared/base/settings/log.ts";
import { refreshPullSecrets } from "../../../shared/environments/apply/refreshPullSecrets.ts";
import { nextRenewal } from "../../../shared/packaging/registries/renewals.ts";
import { findRegistryRefresh, finishRegistryRefresh } from "../../../shared/packaging/registries/store/registries.ts";

const event = z.object({ registryId: z.string() });

/**
 * Writes the pull secrets that come from a registry again, in every environment that uses it. Running it twice changes
 * nothing; what could not be written leaves the refresh due, for the reconciler. A login that ends makes it due later.
 */
export async function handler(given: unknown): Promise<{ written: number; failed: number }> {
  const { registryId } = event.parse(given);
  const refresh = await findRegistryRefresh(registryId);
  if (refresh === undefined) return { written: 0, failed: 0 };
  const { written, failed } = await refreshPullSecrets(registryId);
  const again = await nextRenewal(registryId, { written, failed });
  if (failed === 0 || again !== undefined) await finishRegistryRefresh(refresh, again);
  log.info("pull secrets written", { registryId, written, failed });
  return { written, failed };
}
