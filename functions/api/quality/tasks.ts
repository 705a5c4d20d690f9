import type * as z from "zod";
import { type QualityKind, qualityKey } from "../../../shared/base/common/ownerKey.ts";
import { ApiError, badRequest, type Problem } from "../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { codeHosts } from "../../../shared/integrations/store/codeHosts.ts";
import { requireProject } from "../../../shared/projects/store/projects.ts";
import {
  isMeant,
  type RepositoryOverride,
} from "../../../shared/workflows/jobDefinitions/rules/quality/repositoryOverride.ts";
import { taskOwnerOf } from "../../../shared/workflows/jobDefinitions/store/taskOwnerOf.ts";
import { findTestReport } from "../../../shared/workflows/pods/store/testReports.ts";
import { findWholeTask, type WholeTask } from "../../../shared/workflows/records/findTasks.ts";
import type { TaskActor } from "../../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../../shared/workflows/records/taskHeads.ts";
import {
  type QualityArguments,
  type QualityDefinition,
  qualityDefinition,
  qualityNouns,
  requireQuality,
} from "../../../shared/workflows/tasks/start/qualityDefinition.ts";
import { keepSecretIn } from "../../../shared/workflows/tasks/start/secretVariables.ts";
import { startTask } from "../../../shared/workflows/tasks/start/startTask.ts";
import type { taskRoutes } from "./taskRoutes.ts";
import type { testStart } from "./taskSchemas.ts";
import { jobOfTask, scanTaskAnswer, testTaskAnswer } from "./taskWire.ts";

export const taskHandlers: Handlers<typeof taskRoutes> = {
  startTestTask: async ({ body, caller }) => {
    const test = await missing(requireQuality("test", body.projectKey, body.testName), testMissing(body.testName));
    return { task_id: await startQuality("test", test, await testArguments(test, body), taskActor(caller)) };
  },
  getTestTask: async ({ params, query }) => {
    const whole = await requireTask("test", query.projectKey, params.testName, params.taskID);
    const { record } = jobOfTask(whole);
    const hasReport = record?.result.test_case_num !== undefined;
    return testTaskAnswer(whole, hasReport ? await findTestReport(record) : undefined);
  },
  startScanTask: async ({ params, query, body, caller }) => {
    const scan = await missing(requireQuality("scan", query.projectKey, params.scanName), scanMissing);
    return { task_id: await startQuality("scan", scan, body, taskActor(caller)) };
  },
  getScanTask: async ({ params, query }) =>
    scanTaskAnswer(await missing(requireTask("scan", query.projectKey, params.scanName, params.taskID), scanMissing)),
};

/** @throws ApiError 404 */
async function requireTask(kind: QualityKind, projectKey: string, name: string, taskId: number): Promise<WholeTask> {
  const owner = await findTaskOwner(qualityKey(kind, projectKey, name));
  const whole = owner && (await findWholeTask(owner.id, taskId));
  if (whole !== undefined) return whole;
  throw new ApiError(404, `task ${taskId} of ${qualityNouns[kind]} ${name} of project ${projectKey} does not exist`);
}

/** Says in the contract's words that a record is missing. */
async function missing<T>(found: Promise<T>, inWords: (error: ApiError) => ApiError): Promise<T> {
  return found.catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 404 ? inWords(error) : error;
  });
}

/** Of scans a missing record is what the specification samples (S 7, decisions 1.1). */
const scanMissing = ({ description }: ApiError): ApiError => new ApiError(500, description);

const testMissing =
  (name: string) =>
  ({ description }: ApiError): ApiError =>
    new ApiError(404, `find test[${name}] error: ${description}`);

/**
 * What a start call of a test says, in the terms of the test: everything that it names must be there (contract W 13.1).
 * @throws ApiError 400
 */
async function testArguments(
  { content, uses }: QualityDefinition,
  { repositories, values }: z.output<typeof testStart>,
): Promise<QualityArguments> {
  const hosts = await Promise.all(repositories.map(({ codeHostName }) => codeHostId(codeHostName, uses)));
  const overrides: RepositoryOverride[] = repositories.map(({ codeHostName: _, ...one }, at) => ({
    ...one,
    codeHostId: hosts[at] ?? 0,
  }));
  const problems: Problem[] = [];
  if (!overrides.every((override) => content.repositories.some((repository) => isMeant(repository, override))))
    problems.push({
      in: "body",
      path: "repo_info",
      problem: "one or more repositories do not match the test configuration",
    });
  for (const [at, { key }] of values.entries()) {
    if (!content.keyVals.some((pair) => pair.key === key))
      problems.push({
        in: "body",
        path: `inputs[${at}]`,
        problem: `input "${key}" does not exist in the test configuration`,
      });
  }
  if (problems.length > 0) throw badRequest(problems);
  return { repositories: overrides, values };
}

/** By the alias that the test shows, which may be of before a code host was renamed, or by that of now. */
async function codeHostId(alias: string, uses: QualityDefinition["uses"]): Promise<number | undefined> {
  const saved = uses.find(({ key, id, name }) => name === alias && key.pk === codeHosts.key(id).pk);
  const id = saved?.id ?? (await codeHosts.findByName(alias))?.id;
  return id === undefined ? undefined : Number(id);
}

/**
 * Starts a task of a test or a scan as it was read (contract W 12.2, 13.1); its head says whether it still exists.
 * @returns its number
 * @throws ApiError 6160 when it cannot run; 6542 when it was deleted at the same moment
 */
async function startQuality(
  kind: QualityKind,
  read: QualityDefinition,
  given: QualityArguments,
  creator: TaskActor,
): Promise<number> {
  const project = await requireProject(read.projectKey);
  const secrets = new Map<string, string>();
  const definition = await qualityDefinition(kind, read, given, keepSecretIn(secrets));
  return startTask({
    owner: taskOwnerOf(kind, read),
    projectName: project.name,
    beside: () => [],
    prepare: async () => definition,
    definition,
    arguments: given,
    secrets,
    creator,
  });
}
