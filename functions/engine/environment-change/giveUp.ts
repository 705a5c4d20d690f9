import { failChange } from "../../../shared/environments/failChange.ts";
import { findChange } from "../../../shared/environments/store/changes.ts";
import { log } from "../../../shared/settings/log.ts";

/** The change cannot be finished: the environment says why, and everything can be asked for again. */
export async function giveUp(changeId: string, cause: string): Promise<void> {
  log.error("change given up", { changeId, internal: cause.slice(0, 2000) });
  const change = await findChange(changeId);
  if (change === undefined) return;
  const reason = reasonIn(cause) ?? "the platform failed";
  await failChange(change, `${reason} (change ${changeId}); try again`);
}

/** A failed function's cause is JSON; the text of an EnvironmentProblem alone is meant for users. */
function reasonIn(cause: string): string | undefined {
  try {
    const { errorType, errorMessage } = JSON.parse(cause);
    return errorType === "EnvironmentProblem" && typeof errorMessage === "string" ? errorMessage : undefined;
  } catch {
    return undefined;
  }
}
