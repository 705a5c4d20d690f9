import * as z from "zod";
import { defineRoute, fromBody, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message, plainName, recordId } from "../../../shared/http/schemas.ts";

const newLabel = z.object({
  key: plainName(),
  description: z.string().max(512, "must have at most 512 characters").default(""),
});

const label = z
  .object({ id: z.string(), key: z.string(), description: z.string(), created_at: z.int(), updated_at: z.int() })
  .meta({ id: "Label" });

/** `{message: "success"}` with the id of what was made. */
const madeLabel = z.object({ message: z.literal("success"), id: z.string() });

const service = {
  project_key: filled("project_key", 256),
  service_name: filled("service_name", 256),
  production: z.boolean().default(false),
  label_id: recordId,
};

/** A label without a value is a mark; sent for a label that the service has, the value replaces the old one. */
const newBinding = z.object({
  ...service,
  value: z.string().max(256, "must have at most 256 characters").default(""),
});

/** The value may be sent along as it was when the label was added. */
const goneBinding = z.object(service);

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
