import { finishChange } from "../../../shared/environments/finishChange.ts";
import { log } from "../../../shared/log.ts";
import { findChange } from "../../../shared/store/changes.ts";

/** The machinery failed, not the work: the environment says so and everything can be asked for again. */
export async function giveUp(changeId: string, cause: string): Promise<void> {
  log.error("change given up", { changeId, internal: cause.slice(0, 2000) });
  const change = await findChange(changeId);
  if (change !== undefined)
    await finishChange(change, "fail", `the change could not be finished (change ${changeId}); try again`);
}
