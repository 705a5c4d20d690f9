import type * as z from "zod";
import { success } from "../../../shared/http/schemas.ts";
import type { TemplateSummary, YamlTemplate } from "../../../shared/services/store/yamlTemplates.ts";
import type { SyncOutcome } from "../../../shared/services/syncTemplate.ts";
import type { newTemplate, syncAnswer, template, templateList } from "./schemas.ts";

/** A reason may quote what it is about; the answer names every service all the same. */
const maxReasonCharacters = 500;

export function toTemplate({ name, content, service_variable_kvs }: z.output<typeof newTemplate>) {
  return { name, content, variables: service_variable_kvs };
}

export function listAnswer(page: { templates: TemplateSummary[]; total: number }): z.input<typeof templateList> {
  const yaml_template = page.templates.map(({ templateId, name, variables }) => ({ id: templateId, name, variables }));
  return { yaml_template, total: page.total };
}

export function templateAnswer(found: YamlTemplate): z.input<typeof template> {
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

export function outcomeAnswer({ updated, failed, pending }: SyncOutcome): z.input<typeof syncAnswer> {
  const services = failed.map(({ follower, reason }) => ({
    project_key: follower.projectKey,
    service_name: follower.name,
    production: follower.kind === "production",
    reason: reason.slice(0, maxReasonCharacters),
  }));
  return { ...success, updated, failed: services, pending };
}
