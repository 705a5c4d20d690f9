import * as z from "zod";
import { plainName } from "../../../shared/http/schemas.ts";
import { shownAdvancedSettings } from "../../../shared/workflows/definition/script/advancedSettings.ts";
import { shownKeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { repositoryInfo } from "../../../shared/workflows/definition/script/repositoryInfo.ts";
import { shownPackages } from "../../../shared/workflows/definition/script/scriptJob.ts";
import { readTest, testFields } from "../../../shared/workflows/jobDefinitions/rules/quality/testForm.ts";
import { definitionRoutes, projectKeyField } from "./definitionRoutes.ts";

/** `POST /openapi/quality/testing/task` is another endpoint (decisions 2). */
const testName = plainName().refine((name) => name !== "task", "task is reserved, choose another name");

export const newTest = z
  .object({ name: testName, ...projectKeyField, ...testFields })
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

const definitions = definitionRoutes(
  {
    path: "/openapi/quality/testing",
    tag: "Tests",
    verb: "test",
    readBy: ["get_test", "run_test"],
    noun: "a test",
    nouns: "tests",
    function: "Project Management - Test",
    creation: "Create",
  },
  { sent: newTest, listed: testList, shown: test, parameter: "testName", named: z.object({ testName: z.string() }) },
);

export const testRoutes = {
  createTest: definitions.create,
  updateTest: definitions.update,
  deleteTest: definitions.remove,
  listTests: definitions.list,
  getTest: definitions.read,
};
