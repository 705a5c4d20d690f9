import * as z from "zod";
import { defineRoute, fromQuery } from "../../../shared/http/route.ts";

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
    token_id: z.string().meta({ description: "Of the API token that was used; empty for a session" }),
    token_name: z.string(),
    request_id: z.string().meta({ description: "What the answer's `X-Request-Id` said" }),
    address: z.string(),
    agent: z.string().meta({ description: "`User-Agent`, its first 200 characters" }),
  })
  .meta({ id: "OperationLog" });

/** Failures here carry code 6652 (contract I 9.2), so values are read as text and judged by the use-case. */
const text = z.string().optional();
const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, "must be a whole number of 0 or more")
  .transform(Number);
const maxExported = 1000;
const search = {
  // Required, and judged like the others: the text that replaces a missing one is no default.
  searchType: z
    .string()
    .catch("")
    .meta({ override: ({ jsonSchema }) => void delete jsonSchema.default }),
  username: text,
  function: text,
  status: text,
  perPage: text,
  page: text,
};
const listed = {
  tag: "Operation log",
  queryAliases: { perPage: ["pageSize"], page: ["pageNum"] },
  response: z.object({ operation_logs: z.array(operationLog), total: z.int() }),
} as const;

export const operationRoutes = {
  listOperations: defineRoute({
    ...listed,
    method: "GET",
    path: "/openapi/system/operation",
    summary: "Read the operation log, newest first",
    permission: { kind: "systemVerb", verb: "get_log_operation" },
    query: z.object({ ...search, projectKey: text }),
  }),
  listEnvironmentOperations: defineRoute({
    ...listed,
    method: "GET",
    path: "/openapi/system/operation/env",
    summary: "Read the operation log of an environment, newest first",
    permission: { kind: "projectAdmin" },
    scope: { project: fromQuery("projectKey"), environment: fromQuery("envName") },
    query: z.object({ ...search, projectKey: z.string(), envName: z.string(), detail: text }),
  }),
  exportOperations: defineRoute({
    tag: "Operation log",
    method: "GET",
    path: "/openapi/system/operation/export",
    summary: "Read the operation log as it was written, oldest first, one record a line",
    permission: { kind: "systemVerb", verb: "get_log_operation" },
    query: z.object({
      after: wholeNumber.default(0).meta({ description: "Sequence number after which the records begin" }),
      limit: wholeNumber.pipe(z.int().min(1).max(maxExported)).default(maxExported),
    }),
    response: z.string().meta({
      description:
        "Lines of JSON: the fields of OperationLog, and sequence, chain, chain_sequence, previous_hash, hash. " +
        "`X-Last-Sequence` holds the number to continue after; an empty answer means that there is nothing more",
    }),
    responseType: "ndjson",
  }),
};
