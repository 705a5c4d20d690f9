import type { Handlers } from "../../../shared/http/createApi.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import type { WorkflowDefinition } from "../../../shared/workflows/definition/definition.ts";
import { withRunPolicies } from "../../../shared/workflows/definition/jobOptions.ts";
import { deleteWorkflow } from "../../../shared/workflows/saved/deleteWorkflow.ts";
import { lintWorkflow } from "../../../shared/workflows/saved/lintWorkflow.ts";
import { requireWorkflow } from "../../../shared/workflows/saved/requireWorkflow.ts";
import type { WorkflowSource } from "../../../shared/workflows/saved/store/workflows.ts";
import { cancelTasksOf } from "../../../shared/workflows/tasks/end/cancelTasksOf.ts";
import type { definitionRoutes } from "./definitionRoutes.ts";
import { requireWithOptions } from "./readOptions.ts";
import { createWorkflow, type Sent, updateWorkflow } from "./saveWorkflow.ts";
import { visibleWorkflows } from "./visibleWorkflows.ts";
import { detailAnswer, listAnswer, namedListAnswer, storedAnswer } from "./wire.ts";

type Definition = Handlers<typeof definitionRoutes>;

const create: Definition["createWorkflow"] = async ({ query, body, sentBody, caller }) => {
  return successWith(await createWorkflow(sentOf(body, sentBody), query.viewName, caller));
};

const update: Definition["updateWorkflow"] = async ({ params, body, sentBody, caller }) => {
  return successWith(await updateWorkflow(params.name, sentOf(body, sentBody), caller));
};

export const definitionHandlers: Definition = {
  createWorkflow: create,
  createCustomWorkflow: create,
  updateWorkflow: update,
  updateCustomWorkflow: update,
  listWorkflows: async ({ query, caller }) =>
    listAnswer(await visibleWorkflows(query.projectKey, query.viewName, caller)),
  getWorkflowDetail: async ({ params, query, caller }) =>
    detailAnswer(await requireWithOptions(query.projectKey, params.workflowKey, caller)),
  deleteWorkflow: async ({ query }) => {
    await deleteWorkflow({ projectKey: query.projectKey, key: query.workflowKey }, cancelTasksOf);
    return success;
  },
  listNamedWorkflows: async ({ query, caller }) => {
    const { projectKey } = query;
    return namedListAnswer(projectKey, await visibleWorkflows(projectKey, undefined, caller));
  },
  getNamedWorkflow: async ({ params, query }) => storedAnswer(await requireWorkflow(query.projectKey, params.name)),
  deleteNamedWorkflow: async ({ params, query }) => {
    await deleteWorkflow({ projectKey: query.projectKey, key: params.name }, cancelTasksOf);
    return success;
  },
  lintWorkflow: async ({ body }) => successWith(await lintWorkflow(body)),
  presetWorkflow: async ({ params, query, caller }) => {
    const workflow = await requireWithOptions(query.projectKey, params.name, caller);
    return storedAnswer({ ...workflow, source: withRunPolicies(workflow.source) });
  },
};

/** What is kept is what was sent, under the names that the definition has. */
function sentOf(definition: WorkflowDefinition, sent: unknown): Sent {
  const {
    workflow_key: _key,
    workflow_name: _name,
    project_key: _project,
    ...source
  } = sent as Record<string, unknown>;
  const { name, project, display_name } = definition;
  const shownName = display_name === undefined ? {} : { display_name };
  return { definition, source: { ...source, ...shownName, name, project } as WorkflowSource };
}
