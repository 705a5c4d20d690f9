import { table } from "../../../shared/base/store/table.ts";
import { tryWrite } from "../../../shared/base/store/tryWrite.ts";
import { reasonOf } from "../../../shared/environments/failures.ts";
import type { Change } from "../../../shared/environments/store/changes.ts";
import { setEnvironmentError } from "../../../shared/environments/store/statusNotes.ts";

/** Does a step that is tried again when it fails; meanwhile the environment says why it failed. */
export async function tellingWhy(change: Change, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = reasonOf(error);
    // Lost to a newer change: that one says what it is about.
    if (reason !== undefined) await tryWrite(table().write(setEnvironmentError(change, reason)));
    throw error;
  }
}
