import * as z from "zod";
import { defineRoute } from "../../../shared/http/route.ts";
import { message, recordId } from "../../../shared/http/schemas.ts";
import { artifact, imageQuery, newActivity, search, trace } from "./schemas.ts";

const tag = "Artifacts";
const permission = { kind: "systemVerb", verb: "delivery_get" } as const;
const params = z.object({ id: recordId });
const all = "/api/aslan/delivery/artifacts";

/** What builds made and what became of it (contract D 3.2, 3.3). */
export const artifactRoutes = {
  getArtifactOfImage: defineRoute({
    method: "GET",
    path: "/api/directory/dc/artifact",
    summary: "Read the newest artifact of an image",
    tag,
    permission,
    query: imageQuery,
    response: artifact,
  }),
  listArtifacts: defineRoute({
    method: "GET",
    path: all,
    summary: "List artifacts, newest first; a search looks at the newest thousand that come into question",
    tag,
    permission,
    query: search,
    queryAliases: { per_page: ["perPage", "pageSize"], page: ["pageNum"] },
    response: z.array(artifact),
  }),
  getArtifactIdOfImage: defineRoute({
    method: "GET",
    path: `${all}/image`,
    summary: "Read the id of the newest artifact of an image",
    tag,
    permission,
    query: imageQuery,
    response: z.string(),
    responseType: "text",
  }),
  getArtifact: defineRoute({
    method: "GET",
    path: `${all}/:id(hex)`,
    summary: "Read an artifact",
    tag,
    permission,
    params,
    response: artifact,
  }),
  addArtifactActivity: defineRoute({
    method: "POST",
    path: `${all}/:id(hex)/activities`,
    summary: "Note what happened to an artifact",
    tag,
    permission,
    params,
    body: newActivity,
    response: message,
    audit: { method: "Add", function: "Artifact", detail: ({ params: { id } }) => id ?? "", body: "json" },
  }),
  traceImage: defineRoute({
    method: "GET",
    path: "/openapi/artifacts/trace",
    summary: "Follow an image from its commits to the environments that run it now, as far as the caller may see",
    tag,
    permission: { kind: "filtered" },
    query: imageQuery,
    response: trace,
  }),
};
