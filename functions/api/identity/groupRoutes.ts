import * as z from "zod";
import { type Audit, defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message, pageInteger, paging } from "../../../shared/http/schemas.ts";
import { groupItem, uuid } from "./schemas.ts";

const tag = "User groups";
const path = "/api/v1/user-group";
const params = z.object({ id: z.string() });
const name = filled("name", 32).refine((text) => text === text.trim(), "must not begin or end with white space");
const description = z.string().max(64, "must have at most 64 characters");
const uids = z.array(uuid).max(1000, "must have at most 1000 elements");
const list = z.object({ group_list: z.array(groupItem), total: z.int() });
const ofGroup = ({ params }: RawRequest): string => params.id ?? "";

function audit(method: string, body: Audit["body"] = "json"): Audit {
  return { method, function: "User Group", detail: ofGroup, body };
}

const members = {
  method: "POST",
  tag,
  permission: { kind: "systemAdmin" },
  params,
  body: z.object({ uids: uids.min(1, "must name at least one user") }),
  response: message,
  audit: audit("Update"),
} as const;

export const groupRoutes = {
  listUserGroups: defineRoute({
    method: "GET",
    path: "/openapi/user-groups",
    summary: "List user groups, the one changed last first, all-users at the end",
    tag,
    permission: { kind: "systemAdmin" },
    query: z.object({ ...paging, name: z.string().default("") }),
    response: list,
  }),
  listGroups: defineRoute({
    method: "GET",
    path,
    summary: "List user groups, also those of one user",
    tag,
    permission: { kind: "anyRole" },
    query: z.object({
      page_num: pageInteger(1),
      page_size: pageInteger(200, 200),
      name: z.string().default(""),
      uid: z.string().default(""),
    }),
    response: list,
  }),
  createGroup: defineRoute({
    method: "POST",
    path,
    summary: "Create a user group with its first members",
    tag,
    permission: { kind: "systemAdmin" },
    body: z.object({ name, description: description.default(""), uids: uids.default([]) }),
    response: z.object({
      group_id: z.string(),
      group_name: z.string(),
      description: z.string(),
      type: z.literal(2),
      created_at: z.int(),
      updated_at: z.int(),
    }),
    audit: { ...audit("Create"), detail: ({ body }) => (typeof body.name === "string" ? body.name : "") },
  }),
  getGroup: defineRoute({
    method: "GET",
    path: `${path}/:id(uuid)`,
    summary: "Read a user group with its members",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    response: z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      type: z.enum(["system", "custom"]),
      uids: z.array(z.string()),
    }),
  }),
  updateGroup: defineRoute({
    method: "PUT",
    path: `${path}/:id(uuid)`,
    summary: "Change name or description of a user group; what is absent stays",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    body: z.object({ name: name.optional(), description: description.optional() }),
    response: message,
    audit: audit("Update"),
  }),
  deleteGroup: defineRoute({
    method: "DELETE",
    path: `${path}/:id(uuid)`,
    summary: "Delete a user group; its bindings and memberships go with it",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    response: message,
    audit: audit("Delete", "none"),
  }),
  addGroupMembers: defineRoute({
    ...members,
    path: `${path}/:id(uuid)/bulk-create-users`,
    summary: "Add users to a group; users who are in it already stay",
  }),
  removeGroupMembers: defineRoute({
    ...members,
    path: `${path}/:id(uuid)/bulk-delete-users`,
    summary: "Remove users from a group; users who are not in it are ignored",
  }),
};
