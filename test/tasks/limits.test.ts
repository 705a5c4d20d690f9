import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { setConcurrency } from "../../shared/workflows/records/concurrency.ts";
import { readQueueFront } from "../../shared/workflows/records/queue.ts";
import { runningIn } from "../../shared/workflows/records/rules/slots.ts";
import type { TaskHead } from "../../shared/workflows/records/taskHeads.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 300_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

async function save(method: "POST" | "PUT", name: string, concurrency_limit: number): Promise<void> {
  const body = { name, project: "shop", concurrency_limit, stages: [{ name: "only", jobs: [gate("gate")] }] };
  const path = `/openapi/workflows/custom${method === "PUT" ? `/${name}` : ""}`;
  expect((await slipway.call(method, path, { body })).text).toBe('{"message":"success"}');
}

async function running(workflow: string): Promise<number> {
  return (await table().get<TaskHead>(keys.taskHead(workflow)))?.running ?? 0;
}

async function statuses(workflow: string): Promise<string[]> {
  const path = `/openapi/workflows/custom/${workflow}/tasks?projectKey=shop&pageSize=200`;
  const { json } = await slipway.call<{ workflow_tasks: { status: string }[] }>("GET", path);
  return json.workflow_tasks.map(({ status }) => status);
}

/**
 * Starts a task as a client does whose call the gateway answers before it is done, because so many at once take a slow
 * machine longer than it waits: again with the same key, which starts nothing twice.
 */
function startPatiently(workflow: string): Promise<number> {
  const more = { headers: { "idempotency-key": randomUUID() } };
  const start = async () => {
    const { status, json, text } = await tasks.start(workflow, ["gate"], {}, more);
    if (status === 200) return json.task_id;
    if (status === 409 || text.includes("the same Idempotency-Key")) return false;
    throw new Error(`start of ${workflow}: ${status} ${text}`);
  };
  return waitFor("the number of a task", start, 150);
}

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

test("of 100 starts at the same moment each has its number, and never more run than the limit", async () => {
  await save("POST", "crowd", 3);
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await running("crowd"));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const ids = await Promise.all(Array.from({ length: 100 }, () => startPatiently("crowd")));
  expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  await waitFor("all of them to pass", async () => (await statuses("crowd")).every((one) => one === "passed"), 120);
  isOver = true;
  await watching;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(3);
  // The list and the head are read as they were a moment ago.
  await waitFor("no slot to be held", async () => (await running("crowd")) === 0);
});

test("of starts of many workflows at the same moment no more run than the installation allows, and none is forgotten", async () => {
  const names = Array.from({ length: 6 }, (_, at) => `flock-${at}`);
  for (const name of names) await save("POST", name, -1);
  await setConcurrency({ workflowConcurrency: 3, buildConcurrency: 10 });
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, runningIn((await readQueueFront()).slots));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await Promise.all(Array.from({ length: 60 }, (_, at) => startPatiently(names[at % names.length] ?? "")));
  const allPassed = async () => {
    const found = await Promise.all(names.map(statuses));
    return found.flat().length === 60 && found.flat().every((one) => one === "passed");
  };
  await waitFor("all of them to pass", allPassed, 120);
  isOver = true;
  await watching;
  await setConcurrency({ workflowConcurrency: 50, buildConcurrency: 10 });
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(3);
  expect(runningIn((await readQueueFront()).slots)).toBe(0);
});

test("with a limit of 0 nothing starts; a new limit counts for what waits", async () => {
  await save("POST", "shut", 0);
  for (const id of [1, 2]) expect(await tasks.started("shut", ["gate"])).toBe(id);
  await indexesShowAll();
  expect(await statuses("shut")).toEqual(["waiting", "waiting"]);
  await save("PUT", "shut", -1);
  await waitFor("both to pass", async () => (await statuses("shut")).every((one) => one === "passed"));
});

test("a waiting task of a deleted workflow is dropped, and a workflow made again begins with number 1", async () => {
  await save("POST", "brief", 0);
  await tasks.started("brief", ["gate"]);
  const deleted = await slipway.call("DELETE", "/openapi/workflows/custom?workflowKey=brief&projectKey=shop");
  expect(deleted.status).toBe(200);
  await save("POST", "brief", 1);
  expect(await statuses("brief")).toEqual([]);
  expect(await tasks.started("brief", ["gate"])).toBe(1);
  expect((await tasks.end("brief", 1)).status).toBe("passed");
});

test("a disabled workflow starts nothing", async () => {
  const body = { name: "off", project: "shop", disabled: true, stages: [{ name: "only", jobs: [gate("gate")] }] };
  await slipway.call("POST", "/openapi/workflows/custom", { body });
  expect((await tasks.start("off", ["gate"])).json).toMatchObject({ code: 6160, description: "workflow is disabled" });
});
