import { reasonOf } from "../../../shared/environments/failures.ts";
import type { Change } from "../../../shared/store/changes.ts";
import { setEnvironmentError } from "../../../shared/store/statusNotes.ts";
import { ConditionFailed } from "../../../shared/store/table.ts";
import { table } from "../../../shared/store/theTable.ts";

/** Does a step that is tried again when it fails; meanwhile the environment says what stands in the way. */
export async function tellingWhy(change: Change, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) await note(change, reason);
    throw error;
  }
}

async function note(change: Change, reason: string): Promise<void> {
  try {
    await table().write(setEnvironmentError(change, reason));
  } catch (error) {
    // A newer change: it says what it is about.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
