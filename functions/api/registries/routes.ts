import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { changedRegistry, imageNames, imageTag, newRegistry, registry } from "./schemas.ts";

const tag = "Image registries";
const words = { function: "Resource Configuration - Image Repository" } as const;
const params = z.object({ id: z.string() });
const asWritten = {
  detail: ({ body }: RawRequest) =>
    `Provider: ${String(body.provider ?? "")}, Namespace: ${String(body.namespace ?? "")}`,
  body: "json",
} as const;

export const registryRoutes = {
  createRegistry: defineRoute({
    method: "POST",
    path: "/openapi/system/registry",
    summary: "Add an image registry; the first one becomes the default",
    tag,
    permission: { kind: "systemAdmin" },
    body: newRegistry,
    response: message,
    audit: { ...words, ...asWritten, method: "Add" },
  }),
  listRegistries: defineRoute({
    method: "GET",
    path: "/openapi/system/registry",
    summary: "List all image registries, oldest first",
    tag,
    permission: { kind: "anyRole" },
    response: z.array(registry),
  }),
  getRegistry: defineRoute({
    method: "GET",
    path: "/openapi/system/registry/:id(hex)",
    summary: "Read an image registry",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    response: registry,
  }),
  updateRegistry: defineRoute({
    method: "PUT",
    path: "/openapi/system/registry/:id(hex)",
    summary: "Replace address, provider, region, namespace and default; keys that are not given stay",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    body: changedRegistry,
    response: message,
    audit: { ...words, method: "Update", detail: ({ params: { id } }) => id ?? "", body: "none" },
  }),
  deleteRegistry: defineRoute({
    method: "DELETE",
    path: "/api/aslan/system/registry/namespaces/:id(hex)",
    summary: "Delete an image registry that no environment uses",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    response: message,
    audit: { ...words, method: "Delete", detail: ({ params: { id } }) => id ?? "", body: "none" },
  }),
  validateRegistry: defineRoute({
    method: "POST",
    path: "/api/aslan/system/registry/validate",
    summary: "Log in to an image registry as it would be added; nothing is stored",
    tag,
    permission: { kind: "systemAdmin" },
    body: newRegistry,
    response: message,
    audit: { ...words, ...asWritten, method: "Validate" },
  }),
  listImages: defineRoute({
    method: "POST",
    reads: true,
    path: "/api/aslan/system/registry/images",
    summary: "List the tags of images of a registry; an image that is not there has none",
    tag,
    permission: { kind: "anyRole" },
    query: z.object({
      projectName: z.string().optional().meta({ description: "Not read: every project may use every registry" }),
      registryId: z.string().optional().meta({ description: "The default registry when absent or empty" }),
    }),
    body: imageNames,
    response: z.array(imageTag),
  }),
};
