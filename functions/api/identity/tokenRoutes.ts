import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message, projectKey } from "../../../shared/http/schemas.ts";
import { userParams } from "./schemas.ts";

const tag = "API tokens";
const path = "/openapi/users/:uid(uuid)/tokens";
const params = z.object({ uid: z.string(), tokenId: z.string() });
const ofUser = ({ params }: RawRequest): string => params.uid ?? "";
const ofToken = ({ params }: RawRequest): string => `${params.uid}:${params.tokenId}`;

const token = {
  id: z.string(),
  name: z.string(),
  scope: z.enum(["read", "write"]),
  projects: z.array(z.string()),
  expires_at: z.int(),
  last_used_at: z.int(),
};
const apiToken = z.object(token).meta({ id: "ApiToken" });
const withText = z.object({ ...token, token: z.string() });

const wantedFields = {
  name: filled("name", 64).refine((name) => name === name.trim(), "must not begin or end with white space"),
  scope: z.enum(["read", "write"], "must be read or write").default("write"),
  projects: z
    .array(projectKey)
    .max(100, "must have at most 100 elements")
    .default([])
    .meta({ description: "Project keys the token is limited to; none: all that the user can reach" }),
  expires_at: z.int().min(0).optional().meta({ description: "Unix seconds; absent: after 90 days; 0: never" }),
};
const knownFields = Object.keys(wantedFields).join(", ");

/** A field that is not known may be a limit that was meant, so none is dropped (decisions 17.10). */
const wanted = z.strictObject(wantedFields, {
  error: (issue) =>
    issue.code === "unrecognized_keys" ? `does not take ${issue.keys.join(", ")}; known are ${knownFields}` : undefined,
});

export const tokenRoutes = {
  createApiToken: defineRoute({
    method: "POST",
    path: "/api/v1/users/:uid(uuid)/token",
    summary: "Regenerate the default API token; the old one stops working",
    tag,
    permission: { kind: "self" },
    params: userParams,
    response: z.object({ token: z.string() }),
    secretAnswer: true,
    audit: { method: "Create", function: "API Token", detail: ofUser, body: "none" },
  }),
  listTokens: defineRoute({
    method: "GET",
    path,
    summary: "List the API tokens of a user by name",
    tag,
    permission: { kind: "selfOrAdmin" },
    params: userParams,
    response: z.array(apiToken),
  }),
  addToken: defineRoute({
    method: "POST",
    path,
    summary: "Create an API token; only this answer shows it",
    tag,
    permission: { kind: "self" },
    params: userParams,
    body: wanted,
    response: withText,
    secretAnswer: true,
    audit: {
      method: "Create",
      function: "API Token",
      detail: ({ params, body }) => [params.uid, body.name].filter((part) => typeof part === "string").join(":"),
      body: "json",
    },
  }),
  rotateToken: defineRoute({
    method: "POST",
    path: `${path}/:tokenId(hex)/rotate`,
    summary: "Regenerate an API token; only this answer shows the new one, and the old one stops working",
    tag,
    permission: { kind: "self" },
    params,
    response: withText,
    secretAnswer: true,
    audit: { method: "Update", function: "API Token", detail: ofToken, body: "none" },
  }),
  revokeToken: defineRoute({
    method: "DELETE",
    path: `${path}/:tokenId(hex)`,
    summary: "Revoke an API token at once",
    tag,
    permission: { kind: "selfOrAdmin" },
    params,
    response: message,
    audit: { method: "Delete", function: "API Token", detail: ofToken, body: "none" },
  }),
};
