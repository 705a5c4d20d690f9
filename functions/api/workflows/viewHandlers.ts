import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { listViews, type WorkflowView } from "../../../shared/workflows/saved/store/workflowViews.ts";
import { createView, deleteView, updateView } from "./changeView.ts";
import { requireForAdministrator } from "./requireForAdministrator.ts";
import type { changedView, viewList } from "./schemas.ts";
import type { viewRoutes } from "./viewRoutes.ts";

export const viewHandlers: Handlers<typeof viewRoutes> = {
  listViews: async ({ query, caller }) => {
    const views = await listViews(query.projectKey);
    if (views.length === 0) await requireForAdministrator(query.projectKey, caller);
    return views.reverse().map(viewAnswer);
  },
  createView: async ({ body, caller }) => {
    const { project_key: projectKey, name, workflow_list } = body;
    await createView({ projectKey, name }, (workflow_list ?? []).map(toViewed), caller);
    return success;
  },
  updateView: async ({ params, query, body, caller }) => {
    const view = { projectKey: query.projectKey, name: params.viewName };
    await updateView(view, body.workflow_list.map(toViewed), caller);
    return success;
  },
  deleteView: async ({ params, query }) => {
    await deleteView({ projectKey: query.projectKey, name: params.viewName });
    return success;
  },
};

function toViewed({
  workflow_key: key,
  workflow_type: type,
  enabled,
}: z.output<typeof changedView>["workflow_list"][number]) {
  return { key, type, enabled };
}

function viewAnswer({
  projectKey,
  name,
  workflows,
  updatedBy,
  updatedAt,
}: WorkflowView): z.input<typeof viewList>[number] {
  const shown = workflows.filter(({ enabled }) => enabled);
  return {
    ...{ name, project_key: projectKey, update_time: updatedAt, update_by: updatedBy },
    workflows: shown.map(({ key, type }) => ({ workflow_key: key, workflow_type: type })),
  };
}
