import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { listLabels } from "../../../shared/projects/store/labels.ts";
import type { LabelledService } from "../../../shared/services/store/serviceLabels.ts";
import { bindLabel, unbindLabel } from "./bindLabel.ts";
import { defineLabel, dropLabel, redefineLabel } from "./defineLabel.ts";
import { labelRoutes } from "./routes.ts";

export const handler = createApi(labelRoutes, {
  listLabels: async () => {
    const labels = await listLabels();
    return labels.map(({ labelId, key, description, createdAt, updatedAt }) => {
      return { id: labelId, key, description, created_at: createdAt, updated_at: updatedAt };
    });
  },

  createLabel: async ({ body }) => ({ ...success, id: await defineLabel(body) }),

  updateLabel: async ({ params, body }) => {
    await redefineLabel(params.id, body);
    return success;
  },

  deleteLabel: async ({ params }) => {
    await dropLabel(params.id);
    return success;
  },

  addServiceLabel: async ({ body }) => {
    await bindLabel(serviceOf(body), body.label_id, body.value);
    return success;
  },

  removeServiceLabel: async ({ body }) => {
    await unbindLabel(serviceOf(body), body.label_id);
    return success;
  },
});

function serviceOf(body: { project_key: string; service_name: string; production: boolean }): LabelledService {
  const kind = body.production ? "production" : "test";
  return { projectKey: body.project_key, kind, name: body.service_name };
}
