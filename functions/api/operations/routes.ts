import * as z from "zod";
import { defineRoute } from "../../../shared/http/route.ts";

const operationLog = z
  .object({
    username: z.string(),
    project_key: z.string(),
    method: z.string(),
    function: z.string(),
    scene: z.string(),
    targets: z.array(z.string()),
    detail: z.string(),
    request_body: z.string(),
    body_type: z.string(),
    status: z.int(),
    created_at: z.int(),
  })
  .meta({ id: "OperationLog" });

/** Failures here carry code 6652 (contract I 9.2), so values are read as text and judged by the use-case. */
const text = z.string().optional();

export const operationRoutes = {
  listOperations: defineRoute({
    method: "GET",
    path: "/openapi/system/operation",
    summary: "Read the operation log, newest first",
    tag: "Operation log",
    permission: { kind: "systemVerb", verb: "get_log_operation" },
    query: z.object({
      searchType: text,
      projectKey: text,
      username: text,
      function: text,
      status: text,
      perPage: text,
      page: text,
    }),
    queryAliases: { perPage: ["pageSize"], page: ["pageNum"] },
    response: z.object({ operation_logs: z.array(operationLog), total: z.int() }),
  }),
};
