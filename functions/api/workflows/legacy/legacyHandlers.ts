import { refusal } from "../../../../shared/access/identity/rules/permission.ts";
import { ApiError } from "../../../../shared/base/errors/apiError.ts";
import { both, mustBeOneOf } from "../../../../shared/base/store/conditions.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import type { Caller } from "../../../../shared/http/exchange.ts";
import { taskActor } from "../../../../shared/http/taskActor.ts";
import { taskUrl } from "../../../../shared/integrations/notify/taskUrl.ts";
import { changeTask } from "../../../../shared/workflows/records/changeTask.ts";
import { searchedSeconds, tasksOfCommit } from "../../../../shared/workflows/records/commits.ts";
import { findTask, findWholeTask, type WholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import { publishTask } from "../../../../shared/workflows/records/publishTask.ts";
import { builtImages } from "../../../../shared/workflows/records/rules/builtImages.ts";
import { legacyStatus } from "../../../../shared/workflows/records/rules/legacyStatus.ts";
import type { Task } from "../../../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../../../shared/workflows/records/taskHeads.ts";
import { cancelTask } from "../../../../shared/workflows/tasks/end/cancelTask.ts";
import { retryTask } from "../../../../shared/workflows/tasks/start/retryTask.ts";
import type { legacyRoutes } from "./legacyRoutes.ts";
import { startLegacy } from "./startLegacy.ts";

const done = { message: "success", resultCode: 0, errorMsg: "success" } as const;
/** As long as one read of the table takes many keys. */
const mostFound = 100;

const reading = {
  permission: { kind: "verb", verbs: ["get_workflow"], collaboration: "workflow" },
  mutates: false,
} as const;

export const legacyHandlers: Handlers<typeof legacyRoutes> = {
  findLegacyTasks: async ({ query, caller }) => {
    const found = await tasksOfCommit(query.commitId, nowSeconds() - searchedSeconds);
    const wanted = found.slice(0, mostFound).map(({ ownerId, taskId }) => keys.task(ownerId, taskId));
    const items = await table().getMany<Task>(wanted, { consistent: false });
    const byKey = new Map(items.map((task) => [`${task.pk} ${task.sk}`, task]));
    const tasks = wanted.flatMap(({ pk, sk }) => byKey.get(`${pk} ${sk}`) ?? []);
    return tasks.filter((task) => mayRead(task, caller)).map(foundTask);
  },
  createLegacyTask: async ({ body, caller, overrideReason }) => {
    const { owner, taskId } = await startLegacy(body, taskActor(caller), overrideReason);
    return { project_name: owner.projectKey, workflow_name: owner.key, task_id: taskId };
  },
  restartLegacyTask: async ({ params, caller, overrideReason }) => {
    const task = await requireLegacy(params, 6164);
    if (!["failed", "timeout", "cancelled"].includes(task.status))
      throw new ApiError(6164, "a task that already passed or is running cannot be retried");
    await retryTask({ ownerId: task.owner.id, taskId: task.taskId }, { overrideReason, creator: taskActor(caller) });
    return done;
  },
  cancelLegacyTask: async ({ params, caller }) => {
    const task = await requireLegacy(params, 6163);
    await cancelTask({ ownerId: task.owner.id, taskId: task.taskId }, caller.name);
    await leaveCancelled(task, caller.name);
    return done;
  },
  getLegacyTask: async ({ params: { id, pipelineName } }) => {
    const owner = await findTaskOwner(pipelineName);
    const whole = owner && (await findWholeTask(owner.id, id));
    if (whole === undefined) throw upstreamFailure(pipelineName, id);
    return shownTask(whole);
  },
};

/** One that failed or timed out counts as cancelled from here on (contract I 10.4); another end is as good. */
async function leaveCancelled({ owner, taskId }: Task, revoker: string): Promise<void> {
  const task = await findTask(owner.id, taskId);
  if (task === undefined || !["failed", "timeout", "reject"].includes(task.status)) return;
  const asRead = both(mustBeOneOf("status", [task.status]), mustBeOneOf("holdsSlot", [false]));
  const status = "cancelled";
  await table().write(changeTask(task, { status, revoker }, asRead), publishTask({ ...task, status }));
}

function mayRead({ owner }: Task, caller: Caller): boolean {
  return refusal(reading, caller, { projectKey: owner.projectKey, workflow: owner.key }) === undefined;
}

/** @throws ApiError with `code` when there is no such task */
async function requireLegacy(
  { id, pipelineName }: { id: number; pipelineName: string },
  code: 6163 | 6164,
): Promise<Task> {
  const owner = await findTaskOwner(pipelineName);
  const task = owner && (await findTask(owner.id, id));
  if (task === undefined) throw new ApiError(code, "failed to get workflow task");
  return task;
}

/** As the specification samples it (contract I 10.6). */
function upstreamFailure(workflow: string, taskId: number): ApiError {
  const upstream = {
    ...{ code: 6161, type: "error", message: "failed to get workflow task" },
    ...{ description: `task ${taskId} of workflow ${workflow} does not exist`, extra: {} },
  };
  return new ApiError(500, `[400 BadRequest] ${JSON.stringify(upstream)}`);
}

function foundTask({ owner, taskId, status, createTime, startTime, endTime }: Task) {
  return {
    ...{ task_id: taskId, status: legacyStatus(status) },
    ...{ create_time: createTime, start_time: startTime, end_time: endTime },
    url: taskUrl(owner, taskId),
  };
}

function shownTask(whole: WholeTask) {
  const { owner, taskId, status, legacy } = whole.task;
  return {
    ...{ workflow_name: owner.key, env_name: legacy?.envName ?? "", status: legacyStatus(status) },
    targets: (legacy?.targets ?? []).map(({ name, serviceType, repos }) => ({
      ...{ name, service_type: serviceType },
      build: { repos: repos.map(({ repoName, branch, pr }) => ({ repo_name: repoName, branch, pr })) },
    })),
    images: builtImages(whole).map(({ image, serviceName, registryRepo }) => ({
      ...{ image, service_name: serviceName, registry_repo: registryRepo },
    })),
    test_reports: testReports(whole, taskId),
  };
}

function testReports({ task: { owner }, plan, jobs }: WholeTask, taskId: number) {
  const planned = new Map(plan.stages.flatMap((stage) => stage.jobs.map((job) => [job.name, job])));
  return jobs.flatMap(({ name, result }) => {
    const job = planned.get(name);
    if (job?.type !== "zadig-test" || typeof result.test_case_num !== "number") return [];
    const count = (field: string) => (typeof result[field] === "number" ? result[field] : 0);
    const test = job.jobInfo.testing_name ?? "";
    const query = `is_workflow=1&service_name=${encodeURIComponent(test)}&test_type=function`;
    const place = `/v1/projects/detail/${owner.projectKey}/pipelines/multi/testcase/${owner.key}/${taskId}`;
    return [
      {
        test_name: test,
        function_test_report: {
          ...{ tests: count("test_case_num"), successes: count("success_case_num") },
          ...{ failures: count("failed_case_num"), skips: count("skip_case_num"), errors: count("error_case_num") },
          detail_url: `${place}/test/${owner.key}-${taskId}-test?${query}`,
        },
      },
    ];
  });
}
