import type * as z from "zod";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import {
  pageOfTemplates,
  type TemplateSummary,
  type YamlTemplate,
} from "../../../shared/projects/services/store/yamlTemplates.ts";
import type { SyncOutcome } from "../../../shared/projects/services/syncTemplate.ts";
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
import type { newTemplate, syncAnswer, template, templateList } from "./schemas.ts";

/** A reason may quote what it is about; the answer names every service all the same. */
const maxReasonCharacters = 500;

function toTemplate({ name, content, service_variable_kvs }: z.output<typeof newTemplate>) {
  return { name, content, variables: service_variable_kvs };
}

function listAnswer(page: { templates: TemplateSummary[]; total: number }): z.input<typeof templateList> {
  const yaml_template = page.templates.map(({ templateId, name, variables }) => ({ id: templateId, name, variables }));
  return { yaml_template, total: page.total };
}

function templateAnswer(found: YamlTemplate): z.input<typeof template> {
  return {
    id: found.templateId,
    name: found.name,
    content: found.content,
    service_variable_kvs: found.variables,
    created_by: found.createdBy,
    created_time: found.createdAt,
    update_by: found.updatedBy,
    update_time: found.updatedAt,
  };
}

function outcomeAnswer({ updated, failed, pending }: SyncOutcome): z.input<typeof syncAnswer> {
  const services = failed.map(({ follower, reason }) => ({
    project_key: follower.projectKey,
    service_name: follower.name,
    production: follower.kind === "production",
    reason: reason.slice(0, maxReasonCharacters),
  }));
  return { ...success, updated, failed: services, pending };
}

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
