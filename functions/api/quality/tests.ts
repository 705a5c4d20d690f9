import type * as z from "zod";
import { resolveScriptJob } from "../../../shared/definitions/resolveScriptJob.ts";
import type { TestDefinition } from "../../../shared/definitions/rules/quality/testDefinition.ts";
import type { Wanted } from "../../../shared/definitions/saveDefinition.ts";
import { tests } from "../../../shared/definitions/store/tests.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { definitionHandlers } from "./definitionHandlers.ts";
import type { newTest, testRoutes } from "./testRoutes.ts";
import { testAnswer, testItem } from "./testWire.ts";

const definitions = definitionHandlers({
  store: tests,
  noun: "test",
  codes: { create: 6529, update: 6530, remove: 6533 },
  wanted: wantedTest,
  item: testItem,
  shown: testAnswer,
});

export const testHandlers: Handlers<typeof testRoutes> = {
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
