import { config } from "../../../shared/config.ts";
import { applyConfigs } from "../../../shared/environments/applyConfigs.ts";
import { requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { forgetWaits } from "../../../shared/environments/forgetWaits.ts";
import { placePlannedServices } from "../../../shared/environments/placePlannedServices.ts";
import { findPlans } from "../../../shared/store/changes.ts";
import { findWholeEnvironment } from "../../../shared/store/environments.ts";

interface Group {
  services: string[];
  /** Creation waits for readiness, updates do not (contract P 14.3). */
  wait: boolean;
  timeoutSeconds: number;
}

/** Beyond the watcher's own deadline, so that the watcher is the one to say why. */
const timeoutReserveSeconds = 60;

/** The plan of the change as the state machine needs it: names in groups, nothing else. */
export async function prepare(changeId: string): Promise<{ kind: string; groups: Group[]; services: string[] }> {
  const change = await requireCurrentChange(changeId);
  if (change.kind === "delete") {
    await forgetWaits(change);
    const whole = await findWholeEnvironment(change.projectKey, change.envKey, { consistent: true });
    const services = whole === undefined ? [] : [...whole.services.map(({ name }) => name), ...whole.leaving];
    return { kind: change.kind, groups: [], services: change.deleteObjects ? services : [] };
  }
  if (change.kind === "sleep" || change.kind === "wake") return { kind: change.kind, groups: [], services: [] };
  await placePlannedServices(change, await findPlans(changeId));
  await applyConfigs(change);
  const timeoutSeconds = config().SLIPWAY_READY_SECONDS + timeoutReserveSeconds;
  const wait = change.kind === "create";
  return {
    kind: change.kind,
    groups: change.groups.map((services) => ({ services, wait, timeoutSeconds })),
    services: [],
  };
}
