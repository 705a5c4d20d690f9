import * as z from "zod";
import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import { previewable } from "../../../shared/http/preview.ts";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { message, queryBoolean } from "../../../shared/http/schemas.ts";
import { audit, basePath, envOfPath, freezes, type Kind, project, reads, tag, verb } from "./routeParts.ts";
import { projectQuery } from "./schemas.ts";

const rollsBack: Record<Kind, readonly ProjectAction[]> = {
  test: ["manage_environment", "rollback_environment"],
  production: ["edit_production_environment", "rollback_production_environment"],
};

const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,11}$/, "must be the number of a version")
  .transform(Number);

/** Decisions 6.7. */
const versionList = z.array(
  z
    .object({
      revision: z.int(),
      create_by: z.string(),
      create_time: z.int(),
      operation: z.enum(["create", "update", "image", "rollback", "deploy"]),
      images: z.array(z.string()),
      workflow_key: z.string().optional().meta({ description: "Of a deployment by a workflow." }),
      task_id: z.int().optional(),
    })
    .meta({ id: "ServiceVersion" }),
);

const replicas = queryBoolean.optional().meta({
  description:
    "true: as many pods as the version had; otherwise as many as there are, and of a chart as many as the version rendered unless somebody set another number since",
});

/** Versions of a service in one kind of environment (contract P 16.5). */
export function versionForms<K extends Kind>(kind: K) {
  const base = basePath(kind);
  const path = (rest: string) => `${base}/:envName/service/:serviceName/versions${rest}` as `/${string}`;
  const inService = { envName: z.string(), serviceName: z.string() };
  const common = { tag, scope: { project, environment: fromPath("envName") }, query: z.object(projectQuery) };
  return {
    listVersions: defineRoute({
      ...common,
      method: "GET",
      path: path(""),
      summary: `List the last versions of a service in a ${kind} environment, newest first`,
      permission: verb(reads[kind]),
      params: z.object(inService),
      response: versionList,
    }),
    diffVersions: defineRoute({
      ...common,
      method: "GET",
      path: path("/:a/diff/:b"),
      summary: `Compare two versions of a service in a ${kind} environment as a unified diff without values of Secrets`,
      permission: verb(reads[kind]),
      params: z.object({ ...inService, a: versionNumber, b: versionNumber }),
      response: z.string(),
      responseType: "text",
    }),
    rollbackService: previewable(
      defineRoute({
        ...common,
        method: "POST",
        path: path("/:revision/rollback"),
        freeze: freezes[kind],
        query: z.object({ ...projectQuery, replicas }),
        summary: `Take a service of a ${kind} environment back to a version: images, variables and manifest together`,
        permission: verb(...rollsBack[kind]),
        params: z.object({ ...inService, revision: versionNumber }),
        response: message,
        audit: audit("Rollback", kind, envOfPath, {
          function: "Environment - Service",
          detail: ({ params }) => [params.envName, params.serviceName].join(":"),
          body: "none",
        }),
      }),
    ),
  };
}
