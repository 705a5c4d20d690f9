import * as z from "zod";
import { defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { newMode } from "./schemas.ts";

const tag = "Collaborations";
const permission = { kind: "projectAdmin" } as const;

function part(label: string, texts: unknown): string[] {
  const words = Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
  return words.length === 0 ? [] : [`${label}: ${words.join(",")}`];
}

/** The mode with its members and what each workflow and environment gives them (contract I 14). */
function modeDetail({ body }: RawRequest): string {
  const resources: unknown[] = [body.workflows, body.envs].flatMap((list) => (Array.isArray(list) ? list : []));
  const verbs = resources.flatMap((resource) =>
    typeof resource === "object" && resource !== null
      ? part(String(Reflect.get(resource, "name")), Reflect.get(resource, "verbs"))
      : [],
  );
  const name = typeof body.name === "string" ? [body.name] : [];
  return [...name, ...part("User", body.user_ids), ...part("Group", body.group_ids), ...verbs].join(", ");
}

export const collaborationRoutes = {
  createMode: defineRoute({
    method: "POST",
    path: "/openapi/collaborations",
    summary:
      "Grant users and groups actions on single workflows and environments of a project, or on copies of their own",
    tag,
    permission,
    scope: { project: fromBody("project_key") },
    body: newMode,
    response: message,
    audit: { method: "Add", function: "Collaboration Mode", detail: modeDetail, body: "json" },
  }),
  deleteMode: defineRoute({
    method: "DELETE",
    path: "/openapi/collaborations/:name",
    summary: "Delete a collaboration mode: its grants end at once, and its copies are deleted",
    tag,
    permission,
    scope: { project: fromQuery("projectKey") },
    params: z.object({ name: z.string() }),
    query: z.object({ projectKey: filled("projectKey", 256) }),
    response: message,
    audit: {
      method: "Delete",
      function: "Collaboration Mode",
      detail: ({ params }) => params.name ?? "",
      body: "none",
    },
  }),
};
