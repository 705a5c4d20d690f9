import * as z from "zod";
import type { ProjectAction } from "../../../../shared/access/identity/rules/actions.ts";
import { previewable } from "../../../../shared/http/preview.ts";
import { defineRoute, fromPath } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import { audit, basePath, envOfPath, type Kind, project, reads, tag, verb } from "../routeParts.ts";
import { envParams, projectQuery } from "../schemas.ts";
import { sleepSchedule, sleepSettings } from "./sleepSchemas.ts";

const manages: Record<Kind, ProjectAction> = { test: "manage_environment", production: "edit_production_environment" };

/** Sleep and wake of one kind of environment (decisions 3.7, 6.7). */
export function sleepForms<K extends Kind>(kind: K) {
  const base = basePath(kind);
  const common = {
    tag,
    permission: verb(manages[kind]),
    scope: { project, environment: fromPath("envName") },
    params: envParams,
    query: z.object(projectQuery),
  };
  const words = { function: "Environment", body: "none" } as const;
  return {
    sleep: previewable(
      defineRoute({
        ...common,
        method: "POST",
        path: `${base}/:envName/sleep`,
        response: message,
        summary: `Put a ${kind} environment to sleep: no replicas, CronJobs suspended`,
        audit: audit("Sleep", kind, envOfPath, words),
      }),
    ),
    wake: previewable(
      defineRoute({
        ...common,
        method: "POST",
        path: `${base}/:envName/wake`,
        response: message,
        summary: `Wake a ${kind} environment: every workload as it was before`,
        audit: audit("Wake", kind, envOfPath, words),
      }),
    ),
    readSleepSchedule: defineRoute({
      ...common,
      method: "GET",
      path: `${base}/:envName/sleep/schedule`,
      response: sleepSchedule,
      summary: `Read when a ${kind} environment falls asleep and wakes by itself`,
      permission: verb(manages[kind], reads[kind]),
    }),
    saveSleepSchedule: defineRoute({
      ...common,
      method: "PUT",
      path: `${base}/:envName/sleep/schedule`,
      response: message,
      summary: `Set when a ${kind} environment falls asleep and wakes by itself`,
      body: sleepSettings,
      audit: audit("Update", kind, envOfPath, { function: "Environment" }),
    }),
  };
}
