import type * as z from "zod";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { Freeze } from "../../../shared/projects/freezes/rules/freeze.ts";
import { windowAfter, windowAt } from "../../../shared/projects/freezes/rules/windows.ts";
import { findFreezes } from "../../../shared/projects/freezes/store/freezes.ts";
import { approvalCallbackHandlers } from "./approvals/approvalCallbacks.ts";
import type { freezeRoutes } from "./freezes/freezeRoutes.ts";
import type { shownFreeze } from "./freezes/freezeSchemas.ts";
import { changeFreeze, createFreezeRecord, deleteFreeze } from "./freezes/saveFreeze.ts";
import { hookHandlers } from "./hooks.ts";
import { planCallHandlers } from "./planCalls.ts";
import { planHandlers } from "./plans.ts";
import { releasePlanRoutes } from "./routes.ts";

const freezeHandlers: Handlers<typeof freezeRoutes> = {
  listFreezes: async () => {
    const now = nowSeconds();
    return (await findFreezes()).map((freeze) => toShownFreeze(freeze, now));
  },
  createFreeze: async ({ body, caller }) => ({ ...success, id: await createFreezeRecord(body, caller) }),
  updateFreeze: async ({ params, body, caller }) => {
    await changeFreeze(params.freezeId, body, caller);
    return success;
  },
  deleteFreeze: async ({ params, caller }) => {
    await deleteFreeze(params.freezeId, caller);
    return success;
  },
};

export const handler = createApi(releasePlanRoutes, {
  ...approvalCallbackHandlers,
  ...freezeHandlers,
  ...hookHandlers,
  ...planHandlers,
  ...planCallHandlers,
});

/** A freeze as answers show it at a moment, in Unix seconds. */
function toShownFreeze(freeze: Freeze, now: number): z.input<typeof shownFreeze> {
  const { freezeId, name, reason, projects, environments, times } = freeze;
  const held = windowAt(times, now);
  const next = windowAfter(times, now);
  return {
    ...{ id: freezeId, name, reason, projects: [...projects] },
    environments: environments.map(({ projectKey, envKey }) => ({ project_key: projectKey, env_name: envKey })),
    ...("cron" in times
      ? { cron: times.cron, time_zone: times.timeZone, duration_minutes: times.durationMinutes }
      : { start_time: times.startTime, end_time: times.endTime }),
    holds: held !== undefined,
    ...(held !== undefined && { holds_until: held.end }),
    ...(next !== undefined && { next: { start_time: next.start, end_time: next.end } }),
    ...{ created_by: freeze.createdBy, create_time: freeze.createdAt },
    ...{ updated_by: freeze.updatedBy, update_time: freeze.updatedAt },
  };
}
