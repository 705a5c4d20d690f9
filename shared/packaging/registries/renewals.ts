import { nowSeconds } from "../../base/store/ids.ts";
import type { RegistryRecord } from "./store/registries.ts";
import { findRegistry, refreshLater } from "./store/registries.ts";

/** A token of ECR lives for 12 hours and may be 2 hours old when it is written (`registryLogin`); 2 are left to try again. */
const renewSeconds = 8 * 3600;
/** Until a cluster that could not be reached is asked again: not every minute, because no one waits for it. */
const againSeconds = 600;

const loginEnds = ({ provider }: RegistryRecord): boolean => provider === "ecr";

/** Called after a pull secret is written: one whose login ends is written again before it does. */
export async function renewBeforeEnd(registry: RegistryRecord): Promise<void> {
  if (loginEnds(registry)) await refreshLater(registry.registryId, nowSeconds() + renewSeconds);
}

/**
 * When pull secrets that were just written have to be written again (Unix seconds); undefined: never, because their login
 * does not end, or because the registry is no longer used.
 */
export async function nextRenewal(
  registryId: string,
  { written, failed }: { written: number; failed: number },
): Promise<number | undefined> {
  const registry = await findRegistry(registryId);
  if (registry === undefined || !loginEnds(registry) || written + failed === 0) return undefined;
  return nowSeconds() + (failed === 0 ? renewSeconds : againSeconds);
}
