import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../../shared/http/route.ts";
import { madeRecord, message } from "../../../../shared/http/schemas.ts";
import { sentFreeze, shownFreeze } from "./freezeSchemas.ts";

const tag = "Release freezes";
const params = z.object({ freezeId: z.string() });
/** An administrator of projects may freeze those. */
const permission = { kind: "systemVerb", verb: "edit_config_release_plan", orProjectAdmin: true } as const;
const nameInBody = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");

export const freezeRoutes = {
  listFreezes: defineRoute({
    method: "GET",
    path: "/openapi/release_plan/v1/freezes",
    summary: "List the freezes of production, with whether each holds now and when it does next",
    tag,
    permission: { kind: "authenticated" },
    response: z.array(shownFreeze),
  }),
  createFreeze: defineRoute({
    method: "POST",
    path: "/openapi/release_plan/v1/freezes",
    summary: "Freeze production: everything, projects, or single environments; once or by cron",
    tag,
    permission,
    body: sentFreeze,
    response: madeRecord,
    audit: { method: "Create", function: "Release Freeze", detail: nameInBody, body: "json" },
  }),
  updateFreeze: defineRoute({
    method: "PUT",
    path: "/openapi/release_plan/v1/freezes/:freezeId(hex)",
    summary: "Replace a freeze",
    tag,
    permission,
    params,
    body: sentFreeze,
    response: message,
    audit: { method: "Update", function: "Release Freeze", detail: nameInBody, body: "json" },
  }),
  deleteFreeze: defineRoute({
    method: "DELETE",
    path: "/openapi/release_plan/v1/freezes/:freezeId(hex)",
    summary: "Delete a freeze: it holds no longer",
    tag,
    permission,
    params,
    response: message,
    audit: {
      ...{ method: "Delete", function: "Release Freeze", body: "none" },
      detail: ({ params: { freezeId } }) => freezeId ?? "",
    },
  }),
};
