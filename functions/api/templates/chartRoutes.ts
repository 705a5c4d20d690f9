import { previewable } from "../../../shared/http/preview.ts";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import {
  changedChartTemplate,
  chartParams,
  chartReference,
  chartTemplate,
  chartTemplateList,
  newChartTemplate,
  uploadAnswer,
  uploadedChart,
} from "./chartSchemas.ts";
import { pageOf, syncAnswer } from "./schemas.ts";

const tag = "Template library";
const permission = { kind: "systemAdmin" } as const;
const words = { function: "Chart Template", detail: ({ params: { name } }: RawRequest) => name ?? "" } as const;

/** The list, at either of its paths. */
const list = {
  method: "GET",
  summary: "List the chart templates by name",
  tag,
  permission,
  query: pageOf,
  queryAliases: { pageNum: ["page_num"], pageSize: ["page_size"] },
  response: chartTemplateList,
} as const;

/** Charts that services are made from (decisions 11.11). */
export const chartRoutes = {
  listChartTemplates: defineRoute({
    ...list,
    path: "/api/aslan/template/charts",
  }),
  listChartTemplatesOpenly: defineRoute({
    ...list,
    path: "/openapi/templates/charts",
  }),
  createChartTemplate: defineRoute({
    method: "POST",
    path: "/api/aslan/template/charts",
    summary: "Create a chart template; its chart is fetched from a repository, or uploaded next",
    tag,
    permission,
    body: newChartTemplate,
    response: message,
    audit: {
      ...words,
      method: "Create",
      detail: ({ body }) => (typeof body.name === "string" ? body.name : ""),
      body: "json",
    },
  }),
  getChartTemplate: defineRoute({
    method: "GET",
    path: "/api/aslan/template/charts/:name",
    summary: "Read a chart template",
    tag,
    permission,
    params: chartParams,
    response: chartTemplate,
  }),
  updateChartTemplate: defineRoute({
    method: "PUT",
    path: "/api/aslan/template/charts/:name",
    summary: "Replace the variables of a chart template, and with a source its chart; services with auto_sync follow",
    tag,
    permission,
    params: chartParams,
    body: changedChartTemplate,
    response: syncAnswer,
    audit: { ...words, method: "Update", body: "json" },
  }),
  deleteChartTemplate: defineRoute({
    method: "DELETE",
    path: "/api/aslan/template/charts/:name",
    summary: "Delete a chart template that no service with auto_sync uses; other services made from it stay",
    tag,
    permission,
    params: chartParams,
    response: message,
    audit: { ...words, method: "Delete", body: "none" },
  }),
  uploadChart: defineRoute({
    method: "POST",
    path: "/api/aslan/template/charts/:name/upload",
    summary: "Upload the packed chart of a template, at most 3 MB; services with auto_sync follow",
    tag,
    permission,
    params: chartParams,
    body: uploadedChart,
    readBody: {
      mediaType: "application/gzip",
      magic: "\u001f\u008b",
      read: (bytes: Buffer) => ({ content: bytes.toString("base64") }),
    },
    response: uploadAnswer,
    audit: { ...words, method: "Update", body: "none" },
  }),
  applyChartTemplate: previewable(
    defineRoute({
      method: "POST",
      path: "/api/aslan/template/charts/:name/reference",
      summary: "Bring the services with auto_sync, or those that the body names, to the chart of a template",
      tag,
      permission,
      params: chartParams,
      body: chartReference,
      response: syncAnswer,
      audit: { ...words, method: "Apply", body: "none" },
    }),
  ),
};
