import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { chartRepositoryRoutes } from "./chartRepositoryRoutes.ts";
import { chartRoutes } from "./chartRoutes.ts";
import { madeTemplate, newTemplate, pageOf, params, syncAnswer, template, templateList } from "./schemas.ts";

const tag = "Template library";
const permission = { kind: "systemAdmin" } as const;
const words = { function: "YAML Template", detail: ({ params: { id } }: RawRequest) => id ?? "" } as const;

export const templateRoutes = {
  ...chartRoutes,
  ...chartRepositoryRoutes,
  listTemplates: defineRoute({
    method: "GET",
    path: "/api/aslan/template/yaml",
    summary: "List the YAML templates by name",
    tag,
    permission,
    query: pageOf,
    queryAliases: { pageNum: ["page_num"], pageSize: ["page_size"] },
    response: templateList,
  }),
  createTemplate: defineRoute({
    method: "POST",
    path: "/api/aslan/template/yaml",
    summary: "Create a YAML template to create services from",
    tag,
    permission,
    body: newTemplate,
    response: madeTemplate,
    audit: {
      ...words,
      method: "Create",
      detail: ({ body }) => (typeof body.name === "string" ? body.name : ""),
      body: "json",
    },
  }),
  getTemplate: defineRoute({
    method: "GET",
    path: "/api/aslan/template/yaml/:id(hex)",
    summary: "Read a YAML template",
    tag,
    permission,
    params,
    response: template,
  }),
  updateTemplate: defineRoute({
    method: "PUT",
    path: "/api/aslan/template/yaml/:id(hex)",
    summary: "Replace a YAML template; services with auto_sync follow at once",
    tag,
    permission,
    params,
    body: newTemplate,
    response: syncAnswer,
    audit: { ...words, method: "Update", body: "json" },
  }),
  deleteTemplate: defineRoute({
    method: "DELETE",
    path: "/api/aslan/template/yaml/:id(hex)",
    summary: "Delete a YAML template that no service follows",
    tag,
    permission,
    params,
    response: message,
    audit: { ...words, method: "Delete", body: "none" },
  }),
  applyTemplate: defineRoute({
    method: "POST",
    path: "/api/aslan/template/yaml/:id(hex)/reference",
    summary: "Apply a YAML template again to the services with auto_sync",
    tag,
    permission,
    params,
    response: syncAnswer,
    audit: { ...words, method: "Apply", body: "none" },
  }),
};
