import type { Grants } from "../../access/identity/rules/grants.ts";
import { dateTime } from "../../base/common/dateTime.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import type { FreezeInWindow } from "./rules/windows.ts";

/** What a user reads whose change meets a freeze. */
export function freezeSentence({ freeze, end }: FreezeInWindow): string {
  return `frozen until ${dateTime(end)} by "${freeze.name}": ${freeze.reason}`;
}

/** The refusal of whatever would change production while a freeze holds. */
export function frozen(held: FreezeInWindow): ApiError {
  const hint = "wait until then, or ask somebody with the right override_freeze to call with override_reason";
  return new ApiError(409, `${freezeSentence(held)}; ${hint}`, { extra: { freeze: shownFreeze(held) } });
}

/** A freeze that holds, as answers name it; times in Unix seconds. */
export function shownFreeze({ freeze, start, end }: FreezeInWindow) {
  return { id: freeze.freezeId, name: freeze.name, reason: freeze.reason, start_time: start, end_time: end };
}

/** Whether a user may change what is frozen in a project, by a right of the installation or of the project. */
export function mayOverride({ systemAdmin, systemVerbs, projects }: Grants, projectKey: string): boolean {
  if (systemAdmin || systemVerbs.has("override_freeze")) return true;
  const held = projects.get(projectKey);
  return held !== undefined && (held.admin || held.verbs.has("override_freeze"));
}

/** The refusal of a reason given by a user who may not override. */
export function overrideRefused(projectKey: string): ApiError {
  return new ApiError(403, `override_reason: requires override_freeze in project ${projectKey}`);
}
