import { applyConfigs } from "../../../shared/environments/applyConfigs.ts";
import { applyDefinitions } from "../../../shared/environments/applyDefinitions.ts";
import { cancelReadinessWaits } from "../../../shared/environments/cancelReadinessWaits.ts";
import { requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { leaveMesh } from "../../../shared/environments/mesh/leaveMesh.ts";
import { recordPlannedServices } from "../../../shared/environments/recordPlannedServices.ts";
import { type Change, type ChangeKind, findPlans } from "../../../shared/environments/store/changes.ts";
import { findWholeEnvironment } from "../../../shared/environments/store/environments.ts";
import { config } from "../../../shared/settings/config.ts";
import { tellingWhy } from "./tellingWhy.ts";

interface Group {
  services: string[];
  /** The same in the parts that one function applies. */
  batches: string[][];
  /** Whose readiness is awaited once the group is applied. */
  awaited: string[];
  wait: boolean;
  timeoutSeconds: number;
}

/** Beyond the watcher's own deadline, so that the watcher is the one to say why. */
const timeoutReserveSeconds = 60;

/** Services that one function applies side by side: what it reads of table and cluster it reads for all of them. */
const servicesAtOnce = 8;

/** Kinds of changes that know no services one by one. */
const inOneStep: ReadonlySet<ChangeKind> = new Set(["sleep", "wake", "share", "unshare", "portal", "test"]);

interface Prepared {
  kind: string;
  /** Whether Helm applies the services: those of a project are all charts or none is. */
  charts: boolean;
  groups: Group[];
  services: string[];
}

const nothing = { charts: false, groups: [], services: [] };

/** The plan of the change as the state machine needs it: names in groups, nothing else. */
export async function prepare(changeId: string): Promise<Prepared> {
  const change = await requireCurrentChange(changeId);
  if (change.kind === "delete") {
    await cancelReadinessWaits(change);
    const whole = await findWholeEnvironment(change.projectKey, change.envKey, { consistent: true });
    const services = whole === undefined ? [] : [...whole.services.map(({ name }) => name), ...whole.leaving];
    if (whole !== undefined) await tellingWhy(change, () => leaveMesh(change, whole.environment));
    return { ...nothing, kind: change.kind, services: change.deleteObjects ? services : [] };
  }
  if (inOneStep.has(change.kind)) return { ...nothing, kind: change.kind };
  const plans = await findPlans(changeId);
  await recordPlannedServices(change, plans);
  await applyConfigs(change);
  await applyDefinitions(change, plans);
  const timeoutSeconds = config().SLIPWAY_READY_SECONDS + timeoutReserveSeconds;
  const everything = plans.map(({ name }) => name);
  return {
    kind: change.kind,
    charts: plans.some(({ release }) => release !== undefined),
    groups: change.groups.map((services, at) => {
      const awaited = awaitedAfter(change, services, at === change.groups.length - 1 ? everything : []);
      return { services, batches: batchesOf(services), awaited, wait: awaited.length > 0, timeoutSeconds };
    }),
    services: [],
  };
}

function batchesOf(services: readonly string[]): string[][] {
  const count = Math.ceil(services.length / servicesAtOnce);
  return Array.from({ length: count }, (_, at) => services.slice(at * servicesAtOnce, (at + 1) * servicesAtOnce));
}

/**
 * A creation waits for each group before the next one is applied; what follows runs already, so that everything is applied
 * first and awaited at the end, with what the change took over from the one before.
 */
function awaitedAfter({ kind }: Change, services: string[], ifLast: string[]): string[] {
  return kind === "create" ? services : ifLast;
}
