import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../../../infra/local/table/startTable.ts";
import { listObjects } from "../../../../shared/base/aws/objects/listObjects.ts";
import { putObject } from "../../../../shared/base/aws/objects/objects.ts";
import type { TableEngine } from "../../../../shared/base/store/engine.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { retentionKeys } from "../../../../shared/base/store/keys/retentionKeys.ts";
import { provideTable, table } from "../../../../shared/base/store/table.ts";
import { TableClient } from "../../../../shared/base/store/tableClient.ts";
import { contentOf, update, type Write } from "../../../../shared/base/store/writes.ts";
import {
  findVersions,
  type VersionSummary,
  versionWrites,
} from "../../../../shared/environments/store/environmentVersions.ts";
import { removeTask } from "../../../../shared/lifecycle/retention/removeTask.ts";
import { jobLogKey } from "../../../../shared/workflows/pods/names.ts";
import { findTask } from "../../../../shared/workflows/records/findTasks.ts";
import type { Task } from "../../../../shared/workflows/records/task.ts";
import { findHead, type TaskHead } from "../../../../shared/workflows/records/taskHeads.ts";
import { summaryOf } from "../../../../shared/workflows/records/taskItems.ts";
import { addHistory } from "../../../harness/addHistory.ts";
import { environmentBody } from "../../../harness/boutique.ts";
import { faultyEngine } from "../../../harness/faultyEngine.ts";
import { indexesShowAll } from "../../../harness/indexesShowAll.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeGates, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

const path = "/openapi/system/projects/shop/retention";
const day = 86_400;

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let engine: TableEngine;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  const found = currentEngine();
  if (found === undefined) throw new Error("the table is in no file");
  engine = found;
});

afterEach(() => provideTable(new TableClient(engine)));
afterAll(() => slipway.close());

interface Shown {
  task_days: number;
  log_days: number;
  newest_kept: number;
  swept_at: number;
  removed_tasks: number;
  removed_logs: number;
  removed_versions: number;
}

const read = async () => (await slipway.call<Shown>("GET", path)).json;
const set = (body: object) => slipway.call("PUT", path, { body });
const listed = async (workflow: string, pageNum = 1, pageSize = 20) => {
  const query = `projectKey=shop&pageNum=${pageNum}&pageSize=${pageSize}`;
  const url = `/openapi/workflows/custom/${workflow}/tasks?${query}`;
  const { json } = await slipway.call<{ total: number; workflow_tasks: { task_id: number }[] }>("GET", url);
  return { total: json.total, ids: json.workflow_tasks.map(({ task_id }) => task_id) };
};
const statusOf = async (workflow: string, id: number) =>
  (await slipway.call("GET", `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=${id}`)).status;
const headOf = async (workflow: string) => (await findHead(workflow)) as TaskHead;
const range = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => from + (from < to ? at : -at));

/** A workflow with so many tasks, the first ones of which ended so many days ago. */
async function withTasks(workflow: string, count: number, old: number, days: number): Promise<string> {
  await makeGates("shop", workflow, [1]);
  await tasks.end(workflow, await tasks.started(workflow, []));
  await reconcile();
  const { ownerId } = await headOf(workflow);
  await addHistory(ownerId, count);
  for (let id = 1; id <= old; id++) await age(ownerId, id, days);
  await indexesShowAll();
  return ownerId;
}

async function age(ownerId: string, taskId: number, days: number, more: Partial<Task> = {}): Promise<void> {
  const task = (await findTask(ownerId, taskId)) as Task;
  const then = nowSeconds() - days * day;
  const times = { createTime: then - 60, startTime: then - 60, endTime: then, ...more };
  await table().write(
    update(keys.task(ownerId, taskId), { set: { ...times, summary: summaryOf({ ...task, ...times }) } }),
  );
}

async function putLog(workflowKey: string, taskId: number): Promise<void> {
  const key = jobLogKey({ workflowKey, taskId, jobTaskName: "job-0-0-0-gate" });
  await putObject({ key, content: Buffer.from("log"), contentType: "text/plain" });
}

const logsOf = async (workflow: string) => {
  const found = await listObjects(`jobs/${workflow}/`);
  return found.map(({ key }) => Number(key.split("/")[2])).sort((a, b) => a - b);
};

/** The table with something that happens before a transaction in which a task goes. */
function beforeRemoval(happens: (writes: readonly Write[]) => Promise<void>): void {
  const isRemoval = (write: Write) => write.kind === "remove" && write.key.sk === "task";
  provideTable(
    new TableClient({
      ...faultyEngine(engine, { strikes: () => undefined }),
      transact: async (writes) => {
        if (writes.some(isRemoval)) await happens(writes);
        return engine.transact(writes);
      },
    }),
  );
}

describe("how long a project keeps its tasks", () => {
  test("is for ever until somebody sets it, and is replaced as a whole", async () => {
    const never = { swept_at: 0, removed_tasks: 0, removed_logs: 0, removed_versions: 0 };
    expect(await read()).toEqual({ task_days: 0, log_days: 0, version_days: 0, newest_kept: 20, ...never });
    expect((await set({ task_days: 400, log_days: 90 })).text).toBe('{"message":"success"}');
    expect(await read()).toMatchObject({ task_days: 400, log_days: 90 });
    expect((await set({ log_days: 30 })).status).toBe(200);
    expect(await read()).toMatchObject({ task_days: 0, log_days: 30 });
    expect((await set({})).status).toBe(200);
    expect(await read()).toMatchObject({ task_days: 0, log_days: 0 });
  });

  test.each([
    [{ task_days: -1 }, "task_days", "0 (for ever) or more"],
    [{ task_days: 1.5 }, "task_days", "whole number"],
    [{ log_days: "30" }, "log_days", "whole number"],
    [{ task_days: 3651 }, "task_days", "at most 3650"],
    [{ task_days: 30, log_days: 60 }, "log_days", "longer than task_days"],
    [{ tasks: 30 }, "tasks", ""],
  ])("%j is refused by the name of its field", async (body, field, text) => {
    const answer = await set(body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(field);
    expect(answer.text).toContain(text);
  });

  test("of a project that does not exist is 404", async () => {
    const other = "/openapi/system/projects/nobody/retention";
    expect((await slipway.call("GET", other)).status).toBe(404);
    expect((await slipway.call("PUT", other, { body: {} })).status).toBe(404);
  });
});

describe("a sweep", () => {
  test("removes what ended before, but for the newest ones, what a release plan has and what is not over", async () => {
    const ownerId = await withTasks("swept", 45, 40, 31);
    const planId = "a".repeat(24);
    await table().write(
      update(keys.releasePlan(planId), { set: { type: "release-plan", jobs: [] } }),
      update(keys.task(ownerId, 3), { set: { releasePlan: { planId, jobId: "j", name: "plan", index: 1 } } }),
    );
    await age(ownerId, 7, 31, { status: "pause" });
    for (const id of [1, 2, 3, 10, 11, 12, 26]) await putLog("swept", id);
    await set({ task_days: 30 });
    await indexesShowAll();
    await reconcile();
    const kept = [...range(45, 26), 7, 3];
    expect(await listed("swept", 1, 200)).toEqual({ total: 22, ids: kept });
    expect(await listed("swept", 1)).toEqual({ total: 22, ids: kept.slice(0, 20) });
    expect(await listed("swept", 2)).toEqual({ total: 22, ids: [7, 3] });
    expect(await listed("swept", 3, 8)).toEqual({ total: 22, ids: kept.slice(16) });
    expect(await listed("swept", 22, 1)).toEqual({ total: 22, ids: [3] });
    expect(await listed("swept", 4, 8)).toEqual({ total: 22, ids: [] });
    expect([await statusOf("swept", 1), await statusOf("swept", 3), await statusOf("swept", 26)]).toEqual([
      404, 200, 200,
    ]);
    const url = "/openapi/workflows/custom/task?workflowKey=swept&taskId=1";
    expect((await slipway.call("GET", url)).text).toContain(
      "task 1 of workflow swept was removed by the retention of its project",
    );
    expect(await logsOf("swept")).toEqual([3, 26]);
    expect(await table().query({ pk: keys.task(ownerId, 1).pk })).toEqual([]);
    expect(await read()).toMatchObject({ removed_tasks: 23, swept_at: expect.any(Number) });
    expect((await read()).swept_at).toBeGreaterThan(0);
    // The numbers go on.
    expect(await tasks.started("swept", [])).toBe(46);
    // Once a day.
    await age(ownerId, 7, 31, { status: "passed" });
    await indexesShowAll();
    await reconcile();
    expect((await listed("swept", 2)).ids).toContain(7);
    await set({});
  });

  test("takes logs away before their tasks, where they are kept for a shorter time", async () => {
    await withTasks("logs", 35, 33, 11);
    for (const id of range(1, 35)) await putLog("logs", id);
    const [logs, { removed_logs }] = [(await listObjects("jobs/")).length, await read()];
    await set({ log_days: 10 });
    await indexesShowAll();
    await reconcile();
    expect(await logsOf("logs")).toEqual(range(16, 35));
    expect((await listed("logs")).total).toBe(35);
    const gone = logs - (await listObjects("jobs/")).length;
    expect((await read()).removed_logs - removed_logs).toBe(gone);
    await set({});
  });

  test("removes versions of services that were replaced before, never the newest, nor what a young change replaced", async () => {
    const web = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: web })).status).toBe(200);
    const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
    expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).status).toBe(200);
    const versions = async (service: string) => {
      const url = `/openapi/environments/dev/service/${service}/versions?projectKey=shop`;
      return (await slipway.call<{ revision: number }[]>("GET", url)).json;
    };
    await waitFor("the first version", async () => (await versions("web")).length === 1);
    const owner = { projectKey: "shop", envKey: "dev", service: "web" };
    const [first] = await findVersions(owner, [1]);
    if (first === undefined) throw new Error("there is no first version");
    const made = async (service: string, revision: number, days: number) => {
      const summary: VersionSummary = {
        revision,
        createBy: "ada",
        createTime: nowSeconds() - days * day,
        operation: "update",
        images: [],
      };
      await table().write(...versionWrites({ ...owner, service }, summary, contentOf(first)));
    };
    for (const [revision, days] of [
      [2, 90],
      [3, 60],
      [4, 40],
      [5, 20],
      [6, 10],
    ] as const)
      await made("web", revision, days);
    for (const [revision, days] of [
      [1, 90],
      [2, 80],
    ] as const)
      await made("web-old", revision, days);
    await table().write(
      update(keys.environmentVersion("shop", "dev", "web", 1), { set: { createTime: nowSeconds() - 100 * day } }),
    );
    expect((await set({ version_days: 30 })).status).toBe(200);
    await indexesShowAll();
    await reconcile();
    expect((await versions("web")).map(({ revision }) => revision)).toEqual([6, 5, 4]);
    expect((await findVersions(owner, [1, 2, 3, 4])).map((version) => version !== undefined)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect((await versions("web-old")).map(({ revision }) => revision)).toEqual([2]);
    expect(await read()).toMatchObject({ version_days: 30, removed_versions: 4 });
    const rollback = (revision: number) =>
      slipway.call("POST", `/openapi/environments/dev/service/web/versions/${revision}/rollback?projectKey=shop`, {
        body: {},
      });
    expect((await rollback(3)).status).toBe(404);
    await set({});
  });

  test("leaves a task alone that somebody retries at the same moment", async () => {
    const spec = { trigger_type: "fixed", fixed_workflow_list: [{ workflow_name: "missing" }] };
    const broken = { name: "broken", type: "workflow-trigger", spec };
    await makeWorkflow("shop", { name: "retried", stages: [{ name: "one", jobs: [gate("go"), broken] }] });
    expect((await tasks.end("retried", await tasks.started("retried", ["broken"]))).status).toBe("failed");
    await reconcile();
    const head = await headOf("retried");
    let retried = 0;
    beforeRemoval(async () => {
      provideTable(new TableClient(engine));
      retried = (await tasks.retry("retried", 1)).status;
    });
    expect(await removeTask({ ...head }, 1)).toBe(false);
    expect(retried).toBe(200);
    expect(await statusOf("retried", 1)).toBe(200);
    await tasks.end("retried", 1);
    expect((await headOf("retried")).gone).toBeUndefined();
  });

  test("that was killed behind the record of a task is finished by the reconciler", async () => {
    const ownerId = await withTasks("killed", 2, 2, 100);
    await putLog("killed", 1);
    const killed = new Error("killed");
    const dying: TableEngine = {
      ...faultyEngine(engine, { strikes: () => undefined }),
      transact: async (writes) => {
        const outcome = await engine.transact(writes);
        if (writes.some(({ kind }) => kind === "remove")) provideTable(new TableClient(dead));
        return outcome;
      },
    };
    const refuse = async () => Promise.reject(killed);
    const dead: TableEngine = { get: refuse, getBatch: refuse, queryPage: refuse, transact: refuse, update: refuse };
    provideTable(new TableClient(dying));
    await expect(removeTask({ ...(await headOf("killed")) }, 1)).rejects.toBe(killed);
    provideTable(new TableClient(engine));
    expect(await statusOf("killed", 1)).toBe(404);
    expect((await table().query({ pk: keys.task(ownerId, 1).pk })).length).toBeGreaterThan(0);
    await indexesShowAll();
    await reconcile();
    expect(await table().query({ pk: keys.task(ownerId, 1).pk })).toEqual([]);
    expect(await table().get(retentionKeys.taskRemoval(ownerId, 1))).toBeUndefined();
    expect(await logsOf("killed")).toEqual([]);
    expect(await listed("killed")).toEqual({ total: 1, ids: [2] });
  });
});

test("a project that is deleted takes its retention along", async () => {
  const body = { project_name: "brief", project_key: "brief", project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body });
  const own = "/openapi/system/projects/brief/retention";
  expect((await slipway.call("PUT", own, { body: { task_days: 5 } })).status).toBe(200);
  expect((await slipway.call("DELETE", "/openapi/projects/project?projectKey=brief&isDelete=true")).status).toBe(200);
  expect(await table().get(retentionKeys.retention("brief"))).toBeUndefined();
});
