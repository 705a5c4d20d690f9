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
};
