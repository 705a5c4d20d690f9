import * as z from "zod";
import { shownAdvancedSettings } from "../../../shared/domain/job/advancedSettings.ts";
import { shownKeyVal } from "../../../shared/domain/job/keyVal.ts";
import { repositoryInfo } from "../../../shared/domain/job/repositoryInfo.ts";
import { shownPackages } from "../../../shared/domain/job/scriptJob.ts";
import { readTest, testFields } from "../../../shared/domain/quality/testForm.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { message, plainName } from "../../../shared/http/schemas.ts";
import {
  askedScope,
  deleteQuery,
  listQuery,
  named,
  projectField,
  readQuery,
  sentQuery,
  sentScope,
} from "./routeParts.ts";

/** `POST /openapi/quality/testing/task` is another endpoint (decisions 2). */
const testName = plainName().refine((name) => name !== "task", "task is reserved, choose another name");

export const newTest = z
  .object({ name: testName, ...projectField, ...testFields })
  .transform((body) => ({ name: body.name, projectKey: body.project_key, test: readTest(body) }));

export const testList = z.object({
  total: z.int(),
  tests: z.array(
    z
      .object({
        name: z.string(),
        project_key: z.string(),
        description: z.string(),
        update_by: z.string(),
        update_time: z.int(),
      })
      .meta({ id: "TestItem" }),
  ),
});

const input = z
  .object({ ...shownKeyVal.shape, has_value: z.boolean() })
  .meta({ id: "TestInput", description: "A variable of a test; has_value tells whether it has one" });

/** `inputs` as contract W 13.3 has them; the other fields can be sent back as they are. */
export const test = z
  .object({
    project_key: z.string(),
    test_name: z.string(),
    inputs: z.array(input),
    name: z.string(),
    description: z.string(),
    infrastructure: z.string(),
    build_os: z.string(),
    installs: shownPackages,
    script_type: z.string(),
    script: z.string(),
    repo_info: z.array(repositoryInfo),
    parameters: z.array(shownKeyVal),
    report_dir: z.string(),
    html_report_path: z.string(),
    archive_paths: z.array(z.string()),
    pass_rate: z.int(),
    concurrency_limit: z.int(),
    advanced_settings: shownAdvancedSettings,
    update_by: z.string(),
    update_time: z.int(),
  })
  .meta({ id: "Test" });

const path = "/openapi/quality/testing";
const tag = "Tests";
const words = { function: "Project Management - Test" } as const;

export const testRoutes = {
  createTest: defineRoute({
    method: "POST",
    path,
    summary: "Create a test",
    tag,
    permission: { kind: "verb", verbs: ["create_test"] },
    scope: sentScope,
    query: sentQuery,
    body: newTest,
    response: message,
    audit: { ...words, method: "Create", detail: named, body: "json" },
  }),
  updateTest: defineRoute({
    method: "PUT",
    path,
    summary: "Replace a test; credentials that are sent as ******** stay",
    tag,
    permission: { kind: "verb", verbs: ["edit_test"] },
    scope: sentScope,
    query: sentQuery,
    body: newTest,
    response: message,
    audit: { ...words, method: "Update", detail: named, body: "json" },
  }),
  deleteTest: defineRoute({
    method: "DELETE",
    path,
    summary: "Delete a test that no workflow refers to",
    tag,
    permission: { kind: "verb", verbs: ["delete_test"] },
    scope: askedScope,
    query: deleteQuery,
    response: message,
    audit: { ...words, method: "Delete", detail: ({ query }) => query.name ?? "", body: "none" },
  }),
  listTests: defineRoute({
    method: "GET",
    path,
    summary: "List the tests of a project by name",
    tag,
    permission: { kind: "verb", verbs: ["get_test"] },
    scope: askedScope,
    query: listQuery,
    response: testList,
  }),
  getTest: defineRoute({
    method: "GET",
    path: `${path}/:testName`,
    summary: "Read a test; values of credentials are shown as ********",
    tag,
    permission: { kind: "verb", verbs: ["get_test", "run_test"] },
    scope: askedScope,
    params: z.object({ testName: z.string() }),
    query: readQuery,
    response: test,
  }),
};
