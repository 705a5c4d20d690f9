import * as z from "zod";
import { defineRoute, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { changedRole, definitionList, newRole, ofNamespace, roleDetail, roleList, roleParams } from "./schemas.ts";

export const tag = "Roles";
export const permission = { kind: "projectAdmin" } as const;
/** A public client sends `projectKey` (contract I 16). */
export const inNamespace = {
  scope: { project: fromQuery("namespace") },
  queryAliases: { namespace: ["projectKey"] },
} as const;

/** Words of an operation log about one role (contract I 14). */
function audit(method: string, name: (request: RawRequest) => string, body: "json" | "none") {
  return {
    method,
    function: "Role",
    scene: "project",
    targets: (request: RawRequest) => [name(request)].filter((text) => text !== ""),
    detail: (request: RawRequest) => `Role Name: ${name(request)}`,
    body,
  } as const;
}

const nameInBody = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");
const nameInPath = ({ params }: RawRequest): string => params.name ?? "";

export const roleRoutes = {
  listDefinitions: defineRoute({
    method: "GET",
    path: "/openapi/policy/resource-actions",
    summary: "List the actions that roles of a project are made of",
    tag,
    permission,
    scope: { project: fromQuery("projectName") },
    query: z.object({ projectName: filled("projectName", 256), envType: z.string().min(1).optional() }),
    response: definitionList,
  }),
  listRoles: defineRoute({
    method: "GET",
    path: "/openapi/policy/roles",
    summary: "List the roles of a project, or of the installation with the namespace *",
    tag,
    permission,
    ...inNamespace,
    query: ofNamespace.extend({ uid: z.string().min(1).optional() }),
    response: roleList,
  }),
  getRole: defineRoute({
    method: "GET",
    path: "/openapi/policy/roles/:name",
    summary: "Read a role with its actions by resource",
    tag,
    permission,
    ...inNamespace,
    params: roleParams,
    query: ofNamespace,
    response: roleDetail,
  }),
  createRole: defineRoute({
    method: "POST",
    path: "/openapi/policy/roles",
    summary: "Create a role",
    tag,
    permission,
    ...inNamespace,
    query: ofNamespace,
    body: newRole,
    response: message,
    audit: audit("Create", nameInBody, "json"),
  }),
  updateRole: defineRoute({
    method: "PUT",
    path: "/openapi/policy/roles/:name",
    summary: "Replace the actions of a role; they hold for everybody bound to it at once",
    tag,
    permission,
    ...inNamespace,
    params: roleParams,
    query: ofNamespace,
    body: changedRole,
    response: message,
    audit: audit("Update", nameInPath, "json"),
  }),
  deleteRole: defineRoute({
    method: "DELETE",
    path: "/openapi/policy/roles/:name",
    summary: "Delete a role with all its bindings",
    tag,
    permission,
    ...inNamespace,
    params: roleParams,
    query: ofNamespace,
    response: message,
    audit: audit("Delete", nameInPath, "none"),
  }),
};
