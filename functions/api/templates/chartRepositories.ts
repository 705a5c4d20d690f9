import type * as z from "zod";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../shared/http/recordHandlers.ts";
import { success } from "../../../shared/http/schemas.ts";
import { type ChartRepository, chartRepositories } from "../../../shared/integrations/store/chartRepositories.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import { openChartRepository } from "../../../shared/packaging/charts/openChartRepository.ts";
import { ChartProblem } from "../../../shared/packaging/helm/chartProblem.ts";
import { requireRecord } from "../../../shared/workflows/jobDefinitions/keepRecord.ts";
import type { chartRepository, chartRepositoryBody, chartRepositoryRoutes } from "./chartRepositoryRoutes.ts";

const sort = { noun: "chart repository", nameField: "repo_name", records: chartRepositories };
type Wanted = z.output<typeof chartRepositoryBody>;

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf,
  secretsOf: ({ password }: Wanted) => ({ password }),
  answerOf,
});

export const chartRepositoryHandlers: Handlers<typeof chartRepositoryRoutes> = {
  listChartRepositories: list,
  addChartRepository: add,
  getChartRepository: read,
  updateChartRepository: change,
  deleteChartRepository: remove,
  testChartRepository: async ({ params }) => {
    const { id, shown } = await requireRecord(sort, params.id);
    await testRepository(id, shown);
    return success;
  },
};

/** @throws ApiError 400 that says why no chart can be fetched from it */
async function testRepository(id: string, shown: ChartRepository): Promise<void> {
  try {
    await (await openChartRepository(id, shown)).check();
  } catch (error) {
    if (error instanceof ChartProblem) throw new ApiError(400, error.message, { cause: error });
    throw error;
  }
}

function recordOf(id: string, { repo_name: repoName, url, type, username }: Wanted): Integration<ChartRepository> {
  const secretFields = username === "" ? [] : ["password"];
  return { id, name: repoName, shown: { repoName, url, type, username }, kept: {}, secretFields };
}

function answerOf({ id, shown }: ListedIntegration<ChartRepository>): z.input<typeof chartRepository> {
  const { repoName: repo_name, url, type, username } = shown;
  return { id, repo_name, url, type, username };
}
