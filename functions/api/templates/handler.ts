import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { pageOfTemplates } from "../../../shared/services/store/yamlTemplates.ts";
import { applyTemplate, createTemplate, replaceTemplate, requireTemplate } from "./changeTemplate.ts";
import { chartRepositoryHandlers } from "./chartRepositories.ts";
import {
  applyChartTemplate,
  changeChartTemplate,
  chartTemplateAnswer,
  chartTemplatePage,
  createChartTemplate,
  previewChartReference,
  removeChartTemplate,
  requireChartTemplate,
  uploadChart,
} from "./chartTemplates.ts";
import { removeTemplate } from "./removeTemplate.ts";
import { templateRoutes } from "./routes.ts";
import { listAnswer, outcomeAnswer, templateAnswer, toTemplate } from "./wire.ts";

const handlers: Handlers<typeof templateRoutes> = {
  ...chartRepositoryHandlers,

  listChartTemplates: ({ query }) => chartTemplatePage(query),
  listChartTemplatesOpenly: ({ query }) => chartTemplatePage(query),

  createChartTemplate: async ({ body, caller }) => {
    await createChartTemplate(body, caller.name);
    return success;
  },

  getChartTemplate: async ({ params }) => chartTemplateAnswer(await requireChartTemplate(params.name)),

  updateChartTemplate: async ({ params, body, caller }) =>
    outcomeAnswer(await changeChartTemplate(params.name, body, caller.name)),

  deleteChartTemplate: async ({ params }) => {
    await removeChartTemplate(params.name);
    return success;
  },

  uploadChart: async ({ params, body, caller }) => {
    const { name, version, digest, ...outcome } = await uploadChart(params.name, body.content, caller.name);
    return { ...outcomeAnswer(outcome), chart_name: name, chart_version: version, digest };
  },

  applyChartTemplate: async ({ params, body, caller }) =>
    outcomeAnswer(await applyChartTemplate(params.name, body, caller.name)),

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
};

export const handler = createApi(templateRoutes, handlers, {
  applyChartTemplate: ({ params, body }) => previewChartReference(params.name, body),
});
