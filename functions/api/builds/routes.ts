import * as z from "zod";
import { defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { message, successWithWarnings } from "../../../shared/http/schemas.ts";
import {
  buildDetail,
  buildList,
  changedTemplateBuild,
  deleteQuery,
  detailQuery,
  listQuery,
  newBuild,
  newTemplateBuild,
  saveQuery,
} from "./schemas.ts";
import { templateRoutes } from "./templateRoutes.ts";

const tag = "Builds";
const sentScope = { project: fromBody("project_key") };
const askedScope = { project: fromQuery("projectKey") };
const words = { function: "Project Management - Build" } as const;
const namedInBody = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");
const namedInPath = ({ params }: RawRequest): string => params.buildName ?? "";
const params = z.object({ buildName: z.string() });

const body = z.union([newBuild, newTemplateBuild]);
const bodyFor = ({ source }: Readonly<Record<string, string>>) => (source === "template" ? newTemplateBuild : newBuild);

export const buildRoutes = {
  createBuild: defineRoute({
    method: "POST",
    path: "/openapi/build",
    summary: "Create a build, or with source=template one from a build template",
    tag,
    permission: { kind: "verb", verbs: ["create_build"] },
    scope: sentScope,
    query: saveQuery,
    body,
    bodyFor,
    response: successWithWarnings,
    audit: { ...words, method: "Create", detail: namedInBody, body: "json" },
  }),
  updateBuild: defineRoute({
    method: "PUT",
    path: "/openapi/build",
    summary: "Replace a build; credentials that are sent as ******** stay",
    tag,
    permission: { kind: "verb", verbs: ["edit_build"] },
    scope: sentScope,
    query: saveQuery,
    body,
    bodyFor,
    response: successWithWarnings,
    audit: { ...words, method: "Update", detail: namedInBody, body: "json" },
  }),
  updateTemplateBuild: defineRoute({
    method: "PUT",
    path: "/openapi/build/:buildName/template",
    summary: "Replace the template and all service modules of a build from a template",
    tag,
    permission: { kind: "verb", verbs: ["edit_build"] },
    scope: sentScope,
    params,
    body: changedTemplateBuild,
    response: successWithWarnings,
    audit: { ...words, method: "Update", detail: namedInPath, body: "json" },
  }),
  listBuilds: defineRoute({
    method: "GET",
    path: "/openapi/build",
    summary: "List the builds of a project, the one changed last first",
    tag,
    permission: { kind: "verb", verbs: ["get_build", "config_environment"], collaboration: "anyEnvironment" },
    scope: askedScope,
    query: listQuery,
    response: buildList,
  }),
  getBuild: defineRoute({
    method: "GET",
    path: "/openapi/build/:buildName/detail",
    summary: "Read a build; values of credentials are shown as ********",
    tag,
    permission: { kind: "verb", verbs: ["get_build"] },
    scope: askedScope,
    params,
    query: detailQuery,
    response: buildDetail,
  }),
  deleteBuild: defineRoute({
    method: "DELETE",
    path: "/openapi/build",
    summary: "Delete a build that no workflow refers to",
    tag,
    permission: { kind: "verb", verbs: ["delete_build"] },
    scope: askedScope,
    query: deleteQuery,
    queryAliases: { name: ["buildName"] },
    response: message,
    audit: { ...words, method: "Delete", detail: ({ query }) => query.name ?? query.buildName ?? "", body: "none" },
  }),
  ...templateRoutes,
};
