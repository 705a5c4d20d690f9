import type * as z from "zod";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { scriptWarnings } from "../../../shared/workflows/definition/script/scriptWarnings.ts";
import { resolveScriptJob } from "../../../shared/workflows/jobDefinitions/resolveScriptJob.ts";
import type { TestDefinition } from "../../../shared/workflows/jobDefinitions/rules/quality/testDefinition.ts";
import type { Wanted } from "../../../shared/workflows/jobDefinitions/saveDefinition.ts";
import { showScriptJob } from "../../../shared/workflows/jobDefinitions/showScriptJob.ts";
import type { VersionedDefinition } from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";
import { type TestSummary, tests } from "../../../shared/workflows/jobDefinitions/store/tests.ts";
import { definitionHandlers } from "./definitionHandlers.ts";
import { qualityRoutes } from "./routes.ts";
import { scanHandlers } from "./scans.ts";
import { taskHandlers } from "./tasks.ts";
import type { newTest, testList, testRoutes, test as testShape } from "./testRoutes.ts";

const definitions = definitionHandlers({
  store: tests,
  noun: "test",
  codes: { create: 6529, update: 6530, remove: 6533 },
  wanted: wantedTest,
  warnings: ({ test: { job } }: z.output<typeof newTest>) => scriptWarnings(job, "script"),
  item: testItem,
  shown: testAnswer,
});

const testHandlers: Handlers<typeof testRoutes> = {
  createTest: definitions.create,
  updateTest: definitions.update,
  deleteTest: definitions.remove,
  listTests: async ({ query }) => {
    const { total, items } = await definitions.list(query);
    return { total, tests: items };
  },
  getTest: ({ params, query }) => definitions.read(query.projectKey, params.testName),
};

function wantedTest({ name, projectKey, test: { job, ...test } }: z.output<typeof newTest>): Wanted<TestDefinition> {
  return {
    projectKey,
    name,
    resolve: async (resolver) => ({
      content: { ...(await resolveScriptJob(resolver, job, "build_os")), ...test },
      keyVals: [{ scope: "", path: "parameters", keyVals: job.keyVals }],
    }),
  };
}

function testItem(projectKey: string, item: TestSummary): z.input<typeof testList>["tests"][number] {
  const { name, description, updatedBy, updatedAt } = item;
  return { name, project_key: projectKey, description, update_by: updatedBy, update_time: updatedAt };
}

/** Values of credentials are withheld; `has_value` tells whether one is stored (contract W 13.3). */
function testAnswer(test: VersionedDefinition<TestDefinition>): z.input<typeof testShape> {
  const { content } = test;
  const job = showScriptJob(content, test);
  return {
    ...testItem(test.projectKey, { ...test, description: content.description }),
    test_name: test.name,
    inputs: job.parameters.map((pair) => ({ ...pair, has_value: pair.value !== "" })),
    infrastructure: content.infrastructure,
    build_os: content.image.label,
    script_type: content.scriptType,
    script: content.script,
    ...job,
    report_dir: content.reportDirectory,
    html_report_path: content.htmlReportPath,
    archive_paths: [...content.archivePaths],
    pass_rate: content.passRate,
    concurrency_limit: content.concurrencyLimit,
  };
}

export const handler = createApi(qualityRoutes, { ...testHandlers, ...scanHandlers, ...taskHandlers });
