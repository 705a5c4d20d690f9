import { operationOf, recordOutcome } from "../apply/applyPlannedServices.ts";
import { requireCurrentPlans } from "../change/changeControl.ts";
import { nextVersionWrites } from "../plan/storeVersion.ts";
import { findPlan, type ServicePlan } from "../store/changes.ts";
import { storeRollback } from "../store/rollbacks.ts";
import { withCancellation } from "../withCancellation.ts";
import { installRelease } from "./installRelease.ts";
import type { LastGood } from "./lastGoodRelease.ts";
import { holdingRelease } from "./releaseLease.ts";

/**
 * Makes the release of one planned service what was planned, and records what became of it. Repeating a service whose result
 * is noted does nothing.
 * @throws ChangeSuperseded when a newer change took the environment over; RetryableClusterError
 */
export async function applyRelease(changeId: string, service: string): Promise<void> {
  const { change } = await requireCurrentPlans(changeId, [service]);
  const place = { ...change, service };
  await holdingRelease(place, async () => {
    const [current] = (await requireCurrentPlans(changeId, [service])).plans;
    if (current?.plan.release === undefined || current.plan.result !== undefined) return;
    const { plan, manifest } = current;
    const { release } = current.plan;
    const asksAgain = change.kind !== "create";
    const isCalledOff = async () => (await findPlan(changeId, service))?.cancelledBy !== undefined;
    const brought = await withCancellation(isCalledOff, (signal) =>
      installRelease(place, { ...plan, release }, manifest, { changeId, asksAgain, signal }),
    );
    const { outcome, revision, unchanged, instead } = brought;
    const text = brought.text ?? instead?.text ?? plan.text;
    const stands = instead === undefined ? plan : standingAs(plan, instead);
    await recordOutcome(
      change,
      stands,
      outcome,
      async (placed) => {
        if (revision === undefined || unchanged) return [];
        const made = { operation: operationOf(change, plan), by: change.by, release: { ...release, revision } };
        return [
          ...(await nextVersionWrites(change, { ...placed, containers: plan.containers }, text, made)),
          ...(plan.rollback === undefined ? [] : await storeRollback(change, service, plan.rollback)),
        ];
      },
      text,
    );
  });
}

/** What a failed upgrade leaves in force: the next one begins with the values, images and counts that run. */
function standingAs<P extends ServicePlan>({ rollback: _rollback, ...plan }: P, instead: LastGood) {
  const { serviceRevision: revision, variables, containers, changedImages, replicas } = instead;
  const { revision: _revision, ...release } = instead.release;
  return { ...plan, revision, variables, containers, changedImages, replicas, release };
}
