import { config } from "../../../shared/base/settings/config.ts";
import { log } from "../../../shared/base/settings/log.ts";
import { applyDefinitions } from "../../../shared/environments/apply/applyDefinitions.ts";
import { requireCurrentChange } from "../../../shared/environments/change/changeControl.ts";
import { applyConfigs } from "../../../shared/environments/configs/applyConfigs.ts";
import { reasonOf } from "../../../shared/environments/failures.ts";
import { dissolve, othersNeedProxies } from "../../../shared/environments/mesh/disableShare.ts";
import { syncRoutes } from "../../../shared/environments/mesh/syncRoutes.ts";
import { recordPlannedServices } from "../../../shared/environments/plan/recordPlannedServices.ts";
import { type Change, type ChangeKind, findPlans } from "../../../shared/environments/store/changes.ts";
import {
  type EnvironmentRecord,
  findEnvironment,
  findWholeEnvironment,
} from "../../../shared/environments/store/environments.ts";
import { cancelReadinessWaits } from "../../../shared/environments/waits/cancelReadinessWaits.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import { setInjection } from "../../../shared/kube/mesh/injection.ts";
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

/**
 * What routing has of an environment that is being deleted, before its services go (contract P 9.4, 17.1): calls are led
 * to it no more, and the sub-environments of a base are deleted with it in the same way. Where its objects stay, a cluster
 * that does not answer does not keep the record alive.
 * @throws ClusterError when its objects go
 */
async function leaveMesh(change: Change, environment: EnvironmentRecord): Promise<void> {
  if (environment.baseEnv === undefined && environment.share === undefined) return;
  try {
    await leave(change, environment);
  } catch (error) {
    if (change.deleteObjects || reasonOf(error) === undefined) throw error;
    log.warn("routes not removed", { changeId: change.changeId, internal: reasonOf(error) });
  }
}

async function leave(change: Change, { baseEnv, ...environment }: EnvironmentRecord): Promise<void> {
  if (baseEnv === undefined) {
    await dissolve(change, change);
    if (!change.deleteObjects || (await othersNeedProxies(change))) return;
    const { client } = await openCluster(change.clusterId);
    await setInjection(client, change.namespace, false);
    return;
  }
  const { projectKey, clusterId, namespace, environmentId } = environment;
  const base = (await findEnvironment(projectKey, baseEnv)) ?? { projectKey, envKey: baseEnv, clusterId };
  await syncRoutes(base, change.deleteObjects ? [{ namespace, environmentId }] : []);
}
