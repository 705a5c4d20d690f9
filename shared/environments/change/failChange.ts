import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { recordUntested } from "../apply/recordTests.ts";
import { type Change, findPlans } from "../store/changes.ts";
import { changeMustBeCurrent } from "../store/environments.ts";
import { setServiceError } from "../store/statusNotes.ts";
import { finishChange } from "./finishChange.ts";

/** Ends a change that cannot be finished: environment and every service that it did not come to say why. */
export async function failChange(change: Change, reason: string): Promise<void> {
  if (change.test !== undefined) {
    await recordUntested(change, change.test.service, reason);
    return finishChange(change, change.test.event, change.test.error);
  }
  const left = (await findPlans(change.changeId)).filter(({ result }) => result === undefined);
  for (const { name } of left) {
    // Lost to a newer change, or where the service was taken out.
    await tryWrite(table().write(changeMustBeCurrent(change), setServiceError(change, name, reason)));
  }
  await finishChange(change, "fail", reason);
}
