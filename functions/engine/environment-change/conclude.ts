import { concluded } from "../../../shared/domain/environment/conclusion.ts";
import { requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { finishChange } from "../../../shared/environments/finishChange.ts";
import { findPlans } from "../../../shared/store/changes.ts";

/** Derives the environment's status from what became of its services (contract P 14.3). */
export async function conclude(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  const { event, error } = concluded(change.kind, await findPlans(changeId));
  await finishChange(change, event, error);
}
