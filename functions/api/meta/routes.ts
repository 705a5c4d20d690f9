import * as z from "zod";
import { defineRoute } from "../../../shared/http/route.ts";

export const metaRoutes = {
  getDocument: defineRoute({
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    tag: "Meta",
    permission: { kind: "public" },
    response: z.looseObject({ openapi: z.string() }),
  }),
  getDocument30: defineRoute({
    method: "GET",
    path: "/openapi-3.0.json",
    summary: "This document as OpenAPI 3.0, for generators that do not read 3.1",
    tag: "Meta",
    permission: { kind: "public" },
    response: z.looseObject({ openapi: z.string() }),
  }),
  getHealth: defineRoute({
    method: "GET",
    path: "/healthz",
    summary: "Whether the API answers, whatever it leans on",
    tag: "Meta",
    permission: { kind: "public" },
    response: z.object({ status: z.literal("ok") }),
  }),
  getReadiness: defineRoute({
    method: "GET",
    path: "/readyz",
    summary:
      "Whether what the API leans on works: the table takes writes and, on one machine, cluster and registry answer; 503 names what does not",
    tag: "Meta",
    permission: { kind: "public" },
    response: z.object({ status: z.literal("ready") }),
    errorStatuses: [503],
  }),
};
