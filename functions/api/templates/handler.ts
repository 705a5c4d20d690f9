import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { pageOfTemplates } from "../../../shared/services/store/yamlTemplates.ts";
import { applyTemplate, createTemplate, replaceTemplate, requireTemplate } from "./changeTemplate.ts";
import { removeTemplate } from "./removeTemplate.ts";
import { templateRoutes } from "./routes.ts";
import { listAnswer, outcomeAnswer, templateAnswer, toTemplate } from "./wire.ts";

export const handler = createApi(templateRoutes, {
  listTemplates: async ({ query }) => listAnswer(await pageOfTemplates(query.pageNum, query.pageSize)),

  createTemplate: async ({ body, caller }) => {
    return { ...success, id: await createTemplate(toTemplate(body), caller.name) };
  },

  getTemplate: async ({ params }) => templateAnswer(await requireTemplate(params.id)),

  updateTemplate: async ({ params, body, caller }) =>
    outcomeAnswer(await replaceTemplate(params.id, toTemplate(body), caller.name)),

  deleteTemplate: async ({ params }) => {
    await removeTemplate(params.id);
    return success;
  },

  applyTemplate: async ({ params, caller }) => outcomeAnswer(await applyTemplate(params.id, caller.name)),
});
