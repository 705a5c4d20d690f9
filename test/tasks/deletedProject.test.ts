import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { findTask, openTasks, type TaskId } from "../../shared/workflows/records/findTasks.ts";
import { readQueueFront } from "../../shared/workflows/records/queue.ts";
import { runningIn } from "../../shared/workflows/records/rules/slots.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { gate, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
});

afterAll(() => slipway.close());

const post = async (path: string, body: object) => {
  const answer = await slipway.call<{ task_id: number }>("POST", path, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};

async function named(ownerKey: string, taskId: number): Promise<TaskId> {
  return { ownerId: (await findTaskOwner(ownerKey))?.id ?? "", taskId };
}

test("a project that is deleted ends its tasks first: running, waiting, paused, and those of its tests", async () => {
  const tasks = tasksOf(slipway, "demo");
  await post("/openapi/projects/project", { project_name: "demo", project_key: "demo", project_type: "yaml" });
  const native_approval = { needed_approvers: 1, approve_users: [{ type: "task_creator" }] };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  await post("/openapi/workflows/custom", { name: "asking", project: "demo", stages: [{ name: "one", jobs: [ask] }] });
  const byHand = { name: "one", jobs: [gate("go")], manual_exec: { enabled: true, manual_exec_users: [] } };
  await post("/openapi/workflows/custom", { name: "halting", project: "demo", stages: [byHand] });
  await post("/openapi/quality/testing", {
    ...{ name: "sleeper", project_key: "demo", build_os: "ubuntu 20.04", script: "sleep 300" },
  });
  const running = await tasks.started("asking", ["ask"]);
  const queued = await tasks.started("asking", ["ask"]);
  const paused = await tasks.started("halting", ["go"]);
  const tested = await post("/openapi/quality/testing/task", { project_key: "demo", test_name: "sleeper" });
  const all = [
    await named("asking", running),
    await named("asking", queued),
    await named("halting", paused),
    await named("zadig-testing-demo:sleeper", tested.task_id),
  ];
  const statuses = async () => {
    const found = await Promise.all(all.map(({ ownerId, taskId }) => findTask(ownerId, taskId)));
    return found.map((task) => `${task?.status} ${task?.revoker}`);
  };
  const before = ["running admin", "waiting admin", "pause admin", "running admin"];
  await waitFor("the tasks to be under way", async () => (await statuses()).join() === before.join());

  await indexesShowAll();
  expect((await slipway.call("DELETE", "/openapi/projects/project?projectKey=demo&isDelete=true")).json).toEqual({
    message: "success",
  });
  expect(await statuses()).toEqual(all.map(() => "cancelled system"));
  await waitFor("them to be concluded", async () => (await openTasks()).length === 0);
  await waitFor("the project to be gone", async () => (await table().get(keys.project("demo"))) === undefined);
  expect(runningIn((await readQueueFront()).slots)).toBe(0);
});

test("of starts that race the deletion of their project none is left running", async () => {
  const tasks = tasksOf(slipway, "raced");
  await post("/openapi/projects/project", { project_name: "raced", project_key: "raced", project_type: "yaml" });
  const native_approval = { needed_approvers: 1, approve_users: [{ type: "task_creator" }] };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  const stages = [{ name: "one", jobs: [ask] }];
  await post("/openapi/workflows/custom", { name: "asked", project: "raced", concurrency_limit: -1, stages });
  await post("/openapi/quality/testing", {
    ...{ name: "sleeper", project_key: "raced", build_os: "ubuntu 20.04", script: "sleep 300" },
  });
  const owners = [await named("asked", 0), await named("zadig-testing-raced:sleeper", 0)].map(({ ownerId }) => ownerId);
  const starts = Array.from({ length: 20 }, async (_, at) => {
    await new Promise((resolve) => setTimeout(resolve, at * 4));
    const body = { project_key: "raced", test_name: "sleeper" };
    return at % 4 === 0
      ? slipway.call("POST", "/openapi/quality/testing/task", { body })
      : tasks.start("asked", ["ask"]);
  });
  const deletion = slipway.call("DELETE", "/openapi/projects/project?projectKey=raced&isDelete=true");
  expect((await deletion).status).toBe(200);
  for (const { status, text } of await Promise.all(starts)) expect([200, 400, 404, 409], text).toContain(status);
  const openOnes = async () => (await openTasks()).filter(({ ownerId }) => owners.includes(ownerId));
  // What a deletion missed the reconciler ends, which comes by every minute.
  await waitFor("every task to be over", async () => (await openOnes()).length === 0, 100);
  expect(runningIn((await readQueueFront()).slots)).toBe(0);
});
