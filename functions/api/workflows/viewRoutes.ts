import * as z from "zod";
import { type Audit, defineRoute, fromBody, fromQuery } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { bodyText, member, tag } from "./routeParts.ts";
import { changedView, newView, ofProject, viewList } from "./schemas.ts";

const path = "/openapi/workflows/view";
const admins = { kind: "projectAdmin" } as const;
const scope = { project: fromQuery("projectKey") };
const params = z.object({ viewName: z.string() });

const words = (method: string): Audit => ({
  method,
  function: "Workflow View",
  detail: ({ params: { viewName } }) => viewName ?? "",
  body: "none",
});

export const viewRoutes = {
  listViews: defineRoute({
    method: "GET",
    path,
    summary: "List the workflow views of a project, the last name first",
    tag,
    permission: member,
    scope,
    query: ofProject,
    response: viewList,
  }),
  createView: defineRoute({
    method: "POST",
    path,
    summary: "Create a workflow view",
    tag,
    permission: admins,
    scope: { project: fromBody("project_key") },
    body: newView,
    response: message,
    audit: { method: "Create", function: "Workflow View", detail: bodyText("name"), body: "json" },
  }),
  updateView: defineRoute({
    method: "PUT",
    path: `${path}/:viewName`,
    summary: "Add workflows to a view, or hide them; workflows that are not named stay as they are",
    tag,
    permission: admins,
    scope,
    params,
    query: ofProject,
    body: changedView,
    response: message,
    audit: words("Update"),
  }),
  deleteView: defineRoute({
    method: "DELETE",
    path: `${path}/:viewName`,
    summary: "Delete a workflow view; its workflows stay",
    tag,
    permission: admins,
    scope,
    params,
    query: ofProject,
    response: message,
    audit: words("Delete"),
  }),
};
