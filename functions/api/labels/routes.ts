import * as z from "zod";
import { defineRoute, fromBody, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { goneBinding, label, madeLabel, newBinding, newLabel } from "./schemas.ts";

const tag = "Labels";
const permission = { kind: "systemAdmin" } as const;
const params = z.object({ id: z.string() });
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const namedInPath = ({ params: { id } }: RawRequest): string => id ?? "";
const scope = { project: fromBody("project_key") };
const ofService = {
  function: "Service Label",
  detail: ({ body }: RawRequest) => textOf(body.service_name),
  body: "json",
} as const;

export const labelRoutes = {
  listLabels: defineRoute({
    method: "GET",
    path: "/api/aslan/system/labels",
    summary: "List all labels by key",
    tag,
    permission,
    response: z.array(label),
  }),
  createLabel: defineRoute({
    method: "POST",
    path: "/api/aslan/system/labels",
    summary: "Define a label",
    tag,
    permission,
    body: newLabel,
    response: madeLabel,
    audit: { method: "Create", function: "Label", detail: ({ body }) => textOf(body.key), body: "json" },
  }),
  updateLabel: defineRoute({
    method: "PUT",
    path: "/api/aslan/system/labels/:id(hex)",
    summary: "Change key and description of a label; services that have it show the new key",
    tag,
    permission,
    params,
    body: newLabel,
    response: message,
    audit: { method: "Update", function: "Label", detail: namedInPath, body: "json" },
  }),
  deleteLabel: defineRoute({
    method: "DELETE",
    path: "/api/aslan/system/labels/:id(hex)",
    summary: "Delete a label; remove it from its services first, or their labels cannot be read",
    tag,
    permission,
    params,
    response: message,
    audit: { method: "Delete", function: "Label", detail: namedInPath, body: "none" },
  }),
  addServiceLabel: defineRoute({
    method: "POST",
    path: "/api/aslan/service/labels",
    summary: "Give a service a label, or another value of a label that it has",
    tag,
    permission: { kind: "verb", verbs: ["edit_service"] },
    scope,
    body: newBinding,
    response: message,
    audit: { method: "Add", ...ofService },
  }),
  removeServiceLabel: defineRoute({
    method: "DELETE",
    path: "/api/aslan/service/labels",
    summary: "Remove a label from a service",
    tag,
    permission: { kind: "verb", verbs: ["edit_service"] },
    scope,
    body: goneBinding,
    response: message,
    audit: { method: "Remove", ...ofService },
  }),
};
