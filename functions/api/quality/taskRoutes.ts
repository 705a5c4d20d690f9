import { defineRoute, fromBody } from "../../../shared/http/route.ts";
import { askedQuery, askedScope } from "./definitionRoutes.ts";
import {
  scanInPath,
  scanStart,
  scanTask,
  scanTaskPath,
  started,
  testStart,
  testTask,
  testTaskPath,
} from "./taskSchemas.ts";

const scanned = "/openapi/quality/codescan/:scanName/task";
const tested = "/openapi/quality/testing";

/** Tasks of tests and code scans (contract W 12.2, 12.3, 13.1, 13.2). */
export const taskRoutes = {
  startTestTask: defineRoute({
    method: "POST",
    path: `${tested}/task`,
    summary: "Start a task of a test",
    tag: "Tests",
    permission: { kind: "verb", verbs: ["run_test"] },
    scope: { project: fromBody("project_key") },
    body: testStart,
    response: started,
    audit: {
      ...{ method: "Add", function: "OpenAPI - Test Task", body: "json" },
      detail: ({ body }) =>
        typeof body.test_name === "string" && body.test_name !== "" ? `${body.test_name}-job` : "",
    },
  }),
  getTestTask: defineRoute({
    method: "GET",
    path: `${tested}/:testName/task/:taskID`,
    summary: "Read a task of a test, with its report",
    tag: "Tests",
    permission: { kind: "verb", verbs: ["get_test"] },
    scope: askedScope,
    params: testTaskPath,
    query: askedQuery,
    response: testTask,
  }),
  startScanTask: defineRoute({
    method: "POST",
    path: scanned,
    summary: "Start a task of a code scan",
    tag: "Code scans",
    permission: { kind: "verb", verbs: ["run_scan"] },
    scope: askedScope,
    params: scanInPath,
    query: askedQuery,
    body: scanStart,
    response: started,
    audit: {
      ...{ method: "Add", function: "Code Scanning Task", body: "json" },
      detail: ({ params }) => params.scanName ?? "",
    },
  }),
  getScanTask: defineRoute({
    method: "GET",
    path: `${scanned}/:taskID`,
    summary: "Read a task of a code scan",
    tag: "Code scans",
    permission: { kind: "verb", verbs: ["get_scan"] },
    scope: askedScope,
    params: scanTaskPath,
    query: askedQuery,
    response: scanTask,
  }),
};
