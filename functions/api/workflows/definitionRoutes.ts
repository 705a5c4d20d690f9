import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { type ApiError, badRequest } from "../../../shared/base/errors/apiError.ts";
import { type Audit, type BodyReader, defineRoute, fromBody, fromPath, fromQuery } from "../../../shared/http/route.ts";
import { filled, message, successWithWarnings } from "../../../shared/http/schemas.ts";
import { type ManifestLimits, RENDERED_LIMITS } from "../../../shared/manifest/limits.ts";
import { ManifestError } from "../../../shared/manifest/manifestError.ts";
import { readYaml, yamlValue } from "../../../shared/manifest/parseYaml.ts";
import { workflowDefinition } from "../../../shared/workflows/definition/definition.ts";
import { bodyText, member, tag, verb } from "./routeParts.ts";
import * as schemas from "./schemas.ts";

/** A definition that offers every service of a large project holds more values than a manifest. */
const limits: ManifestLimits = {
  ...{ ...RENDERED_LIMITS, maxNodes: 200_000, maxAliasNodes: 200_000 },
  // They go on as JSON.
  integers: "safe",
};

function refused(problem: string): ApiError {
  return badRequest([{ in: "body", path: "", problem }]);
}

/** Definitions come as YAML or as JSON, which is YAML too (contract W 1.1). */
const yamlBody: BodyReader = {
  mediaType: "application/yaml",
  read: (text) => {
    try {
      const source = readYaml(text, {}, limits);
      if (source.tree?.kind === "map") return yamlValue(source);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      throw refused(`is not JSON, nor YAML: ${error.message}`);
    }
    throw refused("is not JSON, nor a mapping in YAML");
  },
};

/** What the detail of a workflow answers can be sent back as it is. */
const sentDefinition = withAliases(workflowDefinition, {
  name: ["workflow_key"],
  display_name: ["workflow_name"],
  project: ["project_key"],
});

const project = fromQuery("projectKey");
/** Console routes say `projectName` for the project key. */
const consoleAliases = { projectKey: ["projectName"] };
const words = { function: "Workflow", body: "yaml" } as const;
const named = z.object({ name: z.string() });

/** Both ways to the same: contract W 2.9 and W 2.10 name two families of paths. */
function saving(path: "/api/aslan/workflow/v4" | "/openapi/workflows/custom") {
  return {
    create: defineRoute({
      method: "POST",
      path,
      summary: "Create a workflow; unknown fields and types of jobs are kept as they are",
      tag,
      permission: { kind: "verb", verbs: ["create_workflow"] },
      scope: { project: fromBody("project") },
      query: z.object({ viewName: z.string().optional() }),
      body: sentDefinition,
      readBody: yamlBody,
      response: successWithWarnings,
      audit: { ...words, method: "Add", detail: bodyText("name") },
    }),
    update: defineRoute({
      method: "PUT",
      path: `${path}/:name`,
      summary: "Replace a workflow; ******** keeps a stored credential, tasks keep what they were started with",
      tag,
      permission: verb("edit_workflow"),
      scope: { project: fromBody("project"), workflow: fromPath("name") },
      params: named,
      body: sentDefinition,
      readBody: yamlBody,
      response: successWithWarnings,
      audit: { ...words, method: "Update", detail: ({ params }) => params.name ?? "" },
    }),
  };
}

const deletion = (detail: Audit["detail"]): Audit => ({ method: "Delete", function: "Workflow", detail, body: "none" });
const console = saving("/api/aslan/workflow/v4");
const open = saving("/openapi/workflows/custom");

export const definitionRoutes = {
  createWorkflow: console.create,
  updateWorkflow: console.update,
  createCustomWorkflow: open.create,
  updateCustomWorkflow: open.update,
  listWorkflows: defineRoute({
    method: "GET",
    path: "/openapi/workflows",
    summary: "List the workflows of a project by key, or those of a view",
    tag,
    permission: member,
    scope: { project },
    query: schemas.ofProject.extend({ viewName: z.string().optional() }),
    response: schemas.workflowList,
    cutAt: "workflows",
  }),
  getWorkflowDetail: defineRoute({
    method: "GET",
    path: "/openapi/workflows/custom/:workflowKey/detail",
    summary: "Read a workflow, with everything that its jobs may choose from",
    tag,
    permission: verb("get_workflow"),
    scope: { project, workflow: fromPath("workflowKey") },
    params: z.object({ workflowKey: z.string() }),
    query: schemas.ofProject,
    response: schemas.workflowDetail,
    openAnswer: true,
  }),
  deleteWorkflow: defineRoute({
    method: "DELETE",
    path: "/openapi/workflows/custom",
    summary: "Delete a workflow; its queued and running tasks are cancelled",
    tag,
    permission: { kind: "verb", verbs: ["delete_workflow"] },
    scope: { project },
    query: schemas.ofProject.extend({ workflowKey: filled("workflowKey", 64) }),
    queryAliases: { workflowKey: ["workflow_key", "workflowName"] },
    response: message,
    audit: deletion(({ query }) => query.workflowKey ?? ""),
  }),
  listNamedWorkflows: defineRoute({
    method: "GET",
    path: "/api/aslan/workflow/v4",
    summary: "List the workflows of a project by key",
    tag,
    permission: member,
    scope: { project },
    query: schemas.ofProject,
    queryAliases: consoleAliases,
    response: schemas.namedWorkflowList,
    cutAt: "workflow_list",
  }),
  getNamedWorkflow: defineRoute({
    method: "GET",
    path: "/api/aslan/workflow/v4/name/:name",
    summary: "Read a workflow as it was sent, without its credentials",
    tag,
    permission: verb("get_workflow"),
    scope: { project, workflow: fromPath("name") },
    params: named,
    query: schemas.ofProject,
    queryAliases: consoleAliases,
    response: schemas.storedWorkflow,
    openAnswer: true,
  }),
  deleteNamedWorkflow: defineRoute({
    method: "DELETE",
    path: "/api/aslan/workflow/v4/:name",
    summary: "Delete a workflow; its queued and running tasks are cancelled",
    tag,
    permission: { kind: "verb", verbs: ["delete_workflow"] },
    scope: { project },
    params: named,
    query: schemas.ofProject,
    queryAliases: consoleAliases,
    response: message,
    audit: deletion(({ params }) => params.name ?? ""),
  }),
  lintWorkflow: defineRoute({
    method: "POST",
    path: "/api/aslan/workflow/v4/lint",
    summary: "Check a definition and report every problem; nothing is stored",
    tag,
    permission: { kind: "verb", verbs: ["create_workflow", "edit_workflow"] },
    scope: { project: fromBody("project") },
    body: sentDefinition,
    readBody: yamlBody,
    response: successWithWarnings,
    reads: true,
  }),
  presetWorkflow: defineRoute({
    method: "GET",
    path: "/api/aslan/workflow/v4/preset/:name",
    summary:
      "Read a workflow as a start of it begins: what may be chosen, and jobs skipped that do not run by themselves",
    tag,
    permission: verb("get_workflow"),
    scope: { project, workflow: fromPath("name") },
    params: named,
    query: schemas.ofProject,
    queryAliases: consoleAliases,
    response: schemas.storedWorkflow,
    openAnswer: true,
  }),
};
