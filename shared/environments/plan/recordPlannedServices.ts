import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import type { Write } from "../../base/store/writes.ts";
import type { Change, ServicePlan } from "../store/changes.ts";
import { findManifests } from "../store/environmentManifests.ts";
import {
  type AppliedState,
  changeMustBeCurrent,
  type EnvironmentManifest,
  type EnvironmentService,
  findWholeEnvironment,
  placeManifest,
  placeService,
} from "../store/environments.ts";
import { standingObjects } from "./standingObjects.ts";

export const nothingApplied: AppliedState = { refs: [], marks: {} };

const maxPairs = 45;

/**
 * Shows planned services in their environment before they are applied, so that a caller sees them at once; one that
 * exists already keeps the images that run. Repeating it changes nothing; a superseded change places nothing.
 */
export async function recordPlannedServices(change: Change, plans: readonly ServicePlan[]): Promise<void> {
  const waiting = plans.filter((plan) => plan.result === undefined);
  const { projectKey, envKey } = change;
  const [whole, manifests] = await Promise.all([
    findWholeEnvironment(projectKey, envKey, { consistent: true }),
    findManifests(
      projectKey,
      envKey,
      waiting.map(({ name }) => name),
    ),
  ]);
  const standing = new Map(whole?.services.map((service) => [service.name, service]));
  const writes = await Promise.all(
    waiting.map((plan) => placement(change, plan, standing.get(plan.name), manifests.get(plan.name))),
  );
  for (let at = 0; at < writes.length; at += maxPairs) {
    await table().write(changeMustBeCurrent(change), ...writes.slice(at, at + maxPairs).flat());
  }
}

/** A planned service as it is shown; until it was applied, with the workloads that it had before. */
export function serviceOf(
  plan: ServicePlan,
  state: Pick<EnvironmentService, "workloads" | "error"> &
    Partial<Pick<EnvironmentService, "containers" | "refused" | "clusterObjects">>,
): EnvironmentService {
  const { name, group, revision, variables, containers, changedImages, replicas = {}, rollback, release } = plan;
  const updatedAt = nowSeconds();
  const rolledBack = rollback && { revision: rollback.to, from: rollback.from, at: updatedAt, newest: rollback.newest };
  return {
    ...{ name, group, revision, variables, containers, changedImages, replicas, ...state, updatedAt },
    ...(rolledBack && { rolledBack }),
    ...(release && { release }),
  };
}

async function placement(
  change: Change,
  plan: ServicePlan,
  standing: EnvironmentService | undefined,
  before: EnvironmentManifest | undefined,
): Promise<Write[]> {
  const state: AppliedState = before === undefined ? nothingApplied : JSON.parse(await readStoredText(before.applied));
  const applied = before?.applied ?? (await storeText(JSON.stringify(state)));
  const containers = standing?.containers ?? plan.containers;
  const service = serviceOf(plan, { ...standingObjects(state), error: "", containers });
  return [
    placeService(change.projectKey, change.envKey, service),
    placeManifest(change.projectKey, change.envKey, plan.name, {
      ...{ text: plan.text, applied },
      ...(plan.release && { isRelease: true }),
    }),
  ];
}
