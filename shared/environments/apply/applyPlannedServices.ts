import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import type { Write } from "../../base/store/writes.ts";
import { removeObjects } from "../../kube/apply/removeObjects.ts";
import { ClusterError, RetryableClusterError } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import { ChangeSuperseded, requireCurrentPlans } from "../change/changeControl.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { reasonOf } from "../failures.ts";
import { nothingApplied, serviceOf } from "../plan/recordPlannedServices.ts";
import { standingObjects } from "../plan/standingObjects.ts";
import { nextVersionWrites } from "../plan/storeVersion.ts";
import { type ReadTogether, readTogether } from "../read/readTogether.ts";
import { type Change, findChange, findPlan, recordPlan, type ServicePlan } from "../store/changes.ts";
import {
  type AppliedState,
  changeMustBeCurrent,
  type EnvironmentManifest,
  type EnvironmentService,
  findEnvironmentService,
  findManifest,
  placeManifest,
  placeService,
} from "../store/environments.ts";
import { findVersions, type VersionOperation } from "../store/environmentVersions.ts";
import { imageWrites } from "../store/imageUses.ts";
import { storeRollback } from "../store/rollbacks.ts";
import { type AppliedPlan, applyPlan } from "./applyPlan.ts";
import { forces } from "./forces.ts";

export type Outcome = Omit<AppliedPlan, "results">;

interface PendingPlan {
  plan: Item<ServicePlan>;
  /** What the last apply of the service left. */
  before: AppliedState;
}

/**
 * Applies planned services side by side and records of each what became of it, object failures included; what failed is
 * tried again with the next change. Repeating a service whose result is noted does nothing.
 * @throws ChangeSuperseded when a newer change took the environment over; what kept one of the services from being applied,
 * after the others were
 */
export async function applyPlannedServices(changeId: string, services: readonly string[]): Promise<void> {
  const { change, plans } = await requireCurrentPlans(changeId, services);
  const open = plans.filter(({ plan }) => plan.result === undefined);
  const pending = await Promise.all(
    open.map(async ({ plan, manifest }) => ({ plan, before: await stateOf(manifest) })),
  );
  const read = await readForAll(change, pending);
  const outcomes = await Promise.allSettled(pending.map((one) => applyOne(change, one, read)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function stateOf(manifest: EnvironmentManifest | undefined): Promise<AppliedState> {
  return manifest === undefined ? nothingApplied : JSON.parse(await readStoredText(manifest.applied));
}

/** What all of them have to know of the cluster; where it cannot be told for all, each finds out for itself. */
async function readForAll(change: Change, pending: readonly PendingPlan[]): Promise<ReadTogether | undefined> {
  if (pending.length < 2) return undefined;
  try {
    return await readTogether(change, pending, forces(change).force);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return undefined;
  }
}

async function applyOne(change: Change, { plan, before }: PendingPlan, read: ReadTogether | undefined): Promise<void> {
  await recordOutcome(change, plan, await apply(change, plan, before, read), async (placed) => {
    const made = { operation: operationOf(change, plan), by: change.by };
    return [
      ...(await nextVersionWrites(change, { ...placed, containers: plan.containers }, plan.text, made)),
      ...(plan.rollback === undefined ? [] : await rollbackWrites(change, plan, plan.rollback)),
    ];
  });
}

/** With what both versions were: the record outlives them (contract D 5.6). */
async function rollbackWrites(
  change: Change,
  { name: service, text, containers }: ServicePlan,
  versions: { from: number; to: number },
): Promise<Write[]> {
  const owner = { projectKey: change.projectKey, envKey: change.envKey, service };
  const [left] = await findVersions(owner, [versions.from]);
  const origin = left && { text: left.text, containers: left.containers };
  return storeRollback(change, service, { ...versions, update: { text, containers }, ...(origin && { origin }) });
}

/**
 * Tries a service again whose kinds were missing: what else was applied may have brought them. May be repeated.
 * @throws ChangeSuperseded when a newer change took the environment over
 */
export async function applyMissingKinds(change: Change, plan: ServicePlan): Promise<void> {
  const manifest = await findManifest(change.projectKey, change.envKey, plan.name);
  if (manifest === undefined) return;
  const outcome = await apply(change, plan, JSON.parse(await readStoredText(manifest.applied)));
  await recordOutcome(change, plan, outcome, async () => []);
}

/**
 * Records what became of a planned service.
 * @param beside what is written with the service as it is then
 * @param text what is in the cluster, where that is not what was planned
 */
export async function recordOutcome(
  change: Change,
  plan: ServicePlan,
  outcome: Outcome,
  beside: (placed: EnvironmentService) => Promise<Write[]>,
  text = plan.text,
): Promise<void> {
  const { projectKey, envKey, changeId } = change;
  const isFirst = plan.result === undefined;
  const { state, error, refused, missingKinds } = outcome;
  const applied = await storeText(JSON.stringify(state));
  const ran = (await findEnvironmentService(projectKey, envKey, plan.name))?.containers ?? [];
  const containers = runningContainers(plan, outcome, ran);
  const use = { projectKey, envKey, environmentId: change.environmentId, service: plan.name };
  const images = await imageWrites(use, ran, containers);
  const placed = serviceOf(plan, { ...standingObjects(state), error, refused, containers });
  const noted = await tryWrite(
    retryOnConflict(
      async () =>
        table().write(
          changeMustBeCurrent(change),
          placeService(projectKey, envKey, placed),
          placeManifest(projectKey, envKey, plan.name, { text, applied, ...(plan.release && { isRelease: true }) }),
          recordPlan(changeId, plan.name, { result: error, missingKinds: isFirst && missingKinds }),
          ...images,
          ...(await beside(placed)),
        ),
      // A task deployed the service meanwhile; what a rollback counts is another number then.
      "delivered service",
    ),
  );
  if (noted) return;
  // The same step ran twice and the other one was faster: the version has its number.
  if (isFirst && (await findPlan(changeId, plan.name))?.result !== undefined) return;
  await takeAway(changeId, plan, state);
  throw new ChangeSuperseded(changeId);
}

/** The planned containers; one whose workload was refused keeps the image that it had before, where there is one. */
function runningContainers(
  { containers }: ServicePlan,
  { notUpdatedContainers }: Outcome,
  standing: readonly ServiceContainer[],
): ServiceContainer[] {
  return containers.map((planned) => {
    const before = standing.find(({ name }) => name === planned.name);
    return before !== undefined && notUpdatedContainers.includes(planned.name) ? before : planned;
  });
}

export function operationOf(change: Change, plan: ServicePlan): VersionOperation {
  if (plan.rollback !== undefined) return "rollback";
  return change.kind === "update" ? "update" : "create";
}

/** What was applied while a deletion went through it did not see: it goes now when that took the objects away. */
async function takeAway(changeId: string, plan: ServicePlan, { refs }: AppliedState): Promise<void> {
  const change = await findChange(changeId);
  if (change?.deleteObjects !== true || refs.length === 0) return;
  const { environmentId, namespace, deleteCrds } = change;
  const { client } = await openCluster(change.clusterId);
  const claims = clusterScopedOwnersOf(change, plan.name, deleteCrds);
  const kinds = refs.map(({ name, ...kind }) => (kind.namespace === undefined ? { name, ...kind } : kind));
  await removeObjects(client, {
    ...{ environmentId, namespace, kinds, claims },
    serviceNames: [plan.name],
    waitSeconds: 0,
  });
}

async function apply(change: Change, plan: ServicePlan, before: AppliedState, read?: ReadTogether): Promise<Outcome> {
  try {
    return await applyPlan(change, plan, before, { ...forces(change), deleteCrds: change.deleteCrds, read });
  } catch (error) {
    // An update that does not reach its cluster is tried again and fails as a whole (contract P 14.3).
    if (change.kind !== "create" && error instanceof RetryableClusterError) throw error;
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return {
      state: before,
      error: reason,
      refused: [],
      notUpdatedContainers: plan.containers.map(({ name }) => name),
      missingKinds: false,
    };
  }
}
