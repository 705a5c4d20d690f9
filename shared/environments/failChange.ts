import { type Change, findPlans } from "../store/changes.ts";
import { changeMustBeCurrent } from "../store/environments.ts";
import { setServiceError } from "../store/statusNotes.ts";
import { ConditionFailed } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { finishChange } from "./finishChange.ts";

/** Ends a change that cannot be finished: environment and every service that it did not come to say why. */
export async function failChange(change: Change, reason: string): Promise<void> {
  const left = (await findPlans(change.changeId)).filter(({ result }) => result === undefined);
  for (const { name } of left) {
    try {
      await table().write(changeMustBeCurrent(change), setServiceError(change, name, reason));
    } catch (error) {
      // A newer change, or the service was taken out.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  await finishChange(change, "fail", reason);
}
