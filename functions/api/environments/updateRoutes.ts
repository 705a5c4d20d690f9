import * as z from "zod";
import { previewable } from "../../../shared/http/preview.ts";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { audit, configures, envOfPath, freezes, type Kind, project, tag, verb } from "./routeParts.ts";
import { envParams, projectQuery } from "./schemas.ts";

const registry_id = z.string().max(64).optional().meta({ description: "Empty or left out: the registry stays" });

const adopt_managers = z
  .array(filled("adopt_managers", 128))
  .max(32)
  .optional()
  .meta({ description: "Field managers whose fields every update takes over, in addition to kubectl's" });

const testUpdate = z.object({ registry_id, adopt_managers });
const productionUpdate = z.object({ registry_id, adopt_managers, env_name: z.string().max(128).optional() });

function common(kind: Kind) {
  return {
    method: "PUT" as const,
    tag,
    freeze: freezes[kind],
    permission: verb(configures[kind]),
    scope: { project, environment: fromPath("envName") },
    params: envParams,
    query: z.object(projectQuery),
    response: message,
    audit: audit("Update", kind, envOfPath),
  };
}

/** What of an environment's own record can be changed (contract P 4.5, 4.6); only the production form knows the alias. */
export const updateRoutes = {
  updateTestEnvironment: previewable(
    defineRoute({
      ...common("test"),
      path: "/openapi/environments/:envName",
      summary: "Change the image registry of a test environment",
      body: testUpdate,
    }),
  ),
  updateProductionEnvironment: previewable(
    defineRoute({
      ...common("production"),
      path: "/openapi/environments/production/:envName",
      summary: "Change the image registry and the alias of a production environment",
      body: productionUpdate,
    }),
  ),
};
