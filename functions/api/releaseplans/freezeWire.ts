import type * as z from "zod";
import type { Freeze } from "../../../shared/freezes/rules/freeze.ts";
import { windowAfter, windowAt } from "../../../shared/freezes/rules/windows.ts";
import type { shownFreeze } from "./freezeSchemas.ts";

/** A freeze as answers show it at a moment, in Unix seconds. */
export function toShownFreeze(freeze: Freeze, now: number): z.input<typeof shownFreeze> {
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
