import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { previewable } from "../../../shared/http/preview.ts";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { successWithWarnings } from "../../../shared/http/schemas.ts";
import {
  audit,
  basePath,
  configures,
  envOfPath,
  freezes,
  type Kind,
  project,
  reads,
  tag,
  verb,
  words,
} from "./routeParts.ts";
import { environmentDetail, envParams, projectQuery, sentGlobals } from "./schemas.ts";

/** Contract P 8; of a Helm project `related_services` names the charts that take a variable (decisions 11.9). */
export const newGlobals = withAliases(z.object({ global_variables: sentGlobals }), {
  global_variables: ["variables"],
});

/** Global variables of one kind of environment (contract P 8). */
export function variableForms<K extends Kind>(kind: K) {
  const path = `${basePath(kind)}/:envName/variable` as const;
  const shared = {
    path,
    tag,
    scope: { project, environment: fromPath("envName") },
    params: envParams,
    query: z.object(projectQuery),
  };
  return {
    variables: defineRoute({
      ...shared,
      method: "GET",
      summary: `Read the global variables of a ${kind} environment`,
      permission: verb(reads[kind]),
      response: environmentDetail.shape.global_variables,
    }),
    setVariables: previewable(
      defineRoute({
        ...shared,
        method: "PUT",
        summary: `Replace the global variables of a ${kind} environment and apply them to the services that take them`,
        freeze: freezes[kind],
        permission: verb(configures[kind]),
        body: newGlobals,
        response: successWithWarnings,
        audit: audit("Update", kind, envOfPath, { function: `${words[kind]} Management - Update Global Variables` }),
      }),
    ),
  };
}
