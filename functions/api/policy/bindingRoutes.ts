import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { inNamespace, permission } from "./roleRoutes.ts";
import { bindingList, newRoleBinding, ofNamespace, wantedRoles } from "./schemas.ts";

const tag = "Role bindings";
const function_ = "Role Binding";

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function part(label: string, texts: readonly unknown[]): string[] {
  const words = texts.map(textOf).filter((text) => text !== "");
  return words.length === 0 ? [] : [`${label}: ${words.join(",")}`];
}

/** Users, groups and the role's name, as far as the request tells them (contract I 14). */
function bindingDetail({ body }: RawRequest): string {
  const sent: unknown[] = Array.isArray(body.identities) ? body.identities : [body];
  const of = (field: "uid" | "gid") =>
    sent.map((one) => (typeof one === "object" && one !== null ? Reflect.get(one, field) : undefined));
  return [...part("User", of("uid")), ...part("Group", of("gid")), ...part("Role Name", [body.role])].join(", ");
}

function identityDetail({ params, body }: RawRequest): string {
  const roles: unknown[] = Array.isArray(body.roles) ? body.roles : [];
  return [...part("User", [params.uid]), ...part("Group", [params.gid]), ...part("Role Name", roles)].join(", ");
}

/** Both kinds of identity have the same two endpoints. */
function identityForms<P extends z.ZodObject>(kind: "user" | "group", path: `/${string}`, params: P) {
  return {
    set: defineRoute({
      method: "POST",
      path,
      summary: `Give a ${kind} exactly these roles in the namespace`,
      tag,
      permission,
      ...inNamespace,
      params,
      query: ofNamespace,
      body: wantedRoles,
      response: message,
      audit: { method: "Update", function: function_, scene: "project", detail: identityDetail, body: "json" },
    }),
    remove: defineRoute({
      method: "DELETE",
      path,
      summary: `Take all roles in the namespace from a ${kind}`,
      tag,
      permission,
      ...inNamespace,
      params,
      query: ofNamespace,
      response: message,
      audit: { method: "Delete", function: function_, scene: "project", detail: identityDetail, body: "none" },
    }),
  };
}

const user = identityForms("user", "/openapi/policy/role-bindings/user/:uid(uuid)", z.object({ uid: z.string() }));
const group = identityForms("group", "/openapi/policy/role-bindings/group/:gid(uuid)", z.object({ gid: z.string() }));

export const bindingRoutes = {
  listBindings: defineRoute({
    method: "GET",
    path: "/openapi/policy/role-bindings",
    summary: "List who holds which roles in the namespace",
    tag,
    permission,
    ...inNamespace,
    query: ofNamespace.extend({ uid: z.string().min(1).optional(), gid: z.string().min(1).optional() }),
    response: bindingList,
  }),
  addBinding: defineRoute({
    method: "POST",
    path: "/openapi/policy/role-bindings",
    summary: "Bind users and groups to a role, all of them or none; other roles stay",
    tag,
    permission,
    ...inNamespace,
    query: ofNamespace,
    body: newRoleBinding,
    response: message,
    audit: { method: "Create", function: function_, scene: "project", detail: bindingDetail, body: "json" },
  }),
  setUserRoles: user.set,
  removeUserRoles: user.remove,
  setGroupRoles: group.set,
  removeGroupRoles: group.remove,
};
