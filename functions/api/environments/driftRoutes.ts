import * as z from "zod";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { basePath, type Kind, project, reads, tag, verb } from "./routeParts.ts";
import { envParams, projectQuery } from "./schemas.ts";

const field = z.object({
  path: z.string(),
  applied: z.json(),
  live: z.json(),
  manager: z.string().meta({ description: "Who changed it; empty when the cluster does not record it" }),
  added: z.boolean().meta({ description: "A person or a tool put it there; update with reset: true removes it" }),
  time: z.int().meta({ description: "Unix seconds; 0 when the cluster does not record it" }),
});

/** Decisions 6.7: drifted objects only; values of Secrets are masked. */
const drift = z
  .object({
    in_sync: z.boolean(),
    checked_at: z.int(),
    error: z.string().meta({ description: "Why the cluster could not be read; empty when it was" }),
    objects: z.array(
      z.object({
        service_name: z.string(),
        kind: z.string(),
        name: z.string(),
        state: z.enum(["changed", "missing", "extra"]),
        fields: z.array(field),
      }),
    ),
    ...cutMark,
  })
  .meta({ id: "EnvironmentDrift" });

/** What runs compared with what was applied; production has a path of its own. */
export function driftRoutes(kind: Kind) {
  const base = basePath(kind);
  return {
    drift: defineRoute({
      method: "GET",
      path: `${base}/:envName/drift`,
      summary: `Tell what of a ${kind} environment is not as it was applied`,
      tag,
      permission: verb(reads[kind]),
      scope: { project, environment: fromPath("envName") },
      params: envParams,
      query: z.object(projectQuery),
      response: drift,
      cutAt: "objects",
    }),
  };
}
