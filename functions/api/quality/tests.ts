import type * as z from "zod";
import { pageOfDefinitions } from "../../../shared/definitions/pageOfDefinitions.ts";
import { removeDefinition } from "../../../shared/definitions/removeDefinition.ts";
import { resolveScriptJob } from "../../../shared/definitions/resolveScriptJob.ts";
import {
  createDefinition,
  replaceDefinition,
  requireDefinition,
  type Wanted,
} from "../../../shared/definitions/saveDefinition.ts";
import type { TestDefinition } from "../../../shared/domain/quality/testDefinition.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { tests } from "../../../shared/store/definitions/tests.ts";
import type { newTest, testRoutes } from "./testRoutes.ts";
import { testAnswer, testItem } from "./testWire.ts";

const sort = { store: tests, noun: "test" };

export const testHandlers: Handlers<typeof testRoutes> = {
  createTest: async ({ query, body, caller }) => {
    await createDefinition({ ...sort, code: 6529 }, wantedTest(body, query.projectKey), caller.name);
    return success;
  },
  updateTest: async ({ query, body, caller }) => {
    await replaceDefinition({ ...sort, code: 6530 }, wantedTest(body, query.projectKey), caller.name);
    return success;
  },
  deleteTest: async ({ query }) => {
    await removeDefinition({ ...sort, code: 6533 }, query.projectKey, query.name);
    return success;
  },
  listTests: async ({ query }) => {
    const { shown, total } = await pageOfDefinitions(tests, query);
    return { total, tests: shown.map((one) => testItem(query.projectKey, one)) };
  },
  getTest: async ({ params, query }) => testAnswer(await requireDefinition(sort, query.projectKey, params.testName)),
};

function wantedTest(
  { name, projectKey: inBody, test: { job, ...test } }: z.output<typeof newTest>,
  inQuery = "",
): Wanted<TestDefinition> {
  return {
    projectKey: inBody || inQuery,
    name,
    resolve: async (resolver) => ({
      content: { ...(await resolveScriptJob(resolver, job, "build_os")), ...test },
      keyVals: [{ scope: "", path: "parameters", keyVals: job.keyVals }],
    }),
  };
}
