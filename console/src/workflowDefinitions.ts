import { type operations, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

type Definition = operations["lintWorkflow"]["requestBody"]["content"]["application/json"];

/** The fields of a workflow that the installation sets; no user writes them. */
const systemFields = ["id", "hash", "created_by", "create_time", "updated_by", "update_time"];

/** A workflow as it was sent, without its credentials. */
export const definitionQuery = (project: string, workflow: string) =>
  queryOptions({
    queryKey: ["definition", project, workflow],
    queryFn: async () => {
      const params = { path: { name: workflow }, query: { projectKey: project } };
      const stored: object = await taken(slipway().GET("/api/aslan/workflow/v4/name/{name}", { params }));
      return Object.fromEntries(Object.entries(stored).filter(([field]) => !systemFields.includes(field)));
    },
    refetchOnWindowFocus: false,
  });

/** Of what a text says; whether it is a definition the API tells. */
const bodyOf = (definition: Record<string, unknown>, project: string) => ({ ...definition, project }) as Definition;

/** @throws SlipwayError with everything that is wrong with it */
export function lintWorkflow(definition: Record<string, unknown>, project: string) {
  return taken(slipway().POST("/api/aslan/workflow/v4/lint", { body: bodyOf(definition, project) }));
}

/** @param workflow the key of one that is there; without it one is made */
export function saveWorkflow(definition: Record<string, unknown>, project: string, workflow: string | undefined) {
  const body = bodyOf(definition, project);
  return workflow === undefined
    ? taken(slipway().POST("/openapi/workflows/custom", { body }))
    : taken(slipway().PUT("/openapi/workflows/custom/{name}", { params: { path: { name: workflow } }, body }));
}
