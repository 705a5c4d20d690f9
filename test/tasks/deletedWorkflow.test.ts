import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { remove } from "../../shared/base/store/writes.ts";
import { findTask, openTasks } from "../../shared/workflows/records/findTasks.ts";
import { findWorkflow } from "../../shared/workflows/saved/store/workflows.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_name: "demo", project_key: "demo", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const approval = {
  timeout: 60,
  type: "native",
  native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] },
};
const waiting = {
  ...{ name: "leaving", project: "demo", concurrency_limit: 1 },
  stages: [{ name: "ask", jobs: [{ name: "ask", type: "approval", spec: approval }] }],
};

test("a workflow that is deleted ends its tasks, running and queued, and one made again starts at 1", async () => {
  const tasks = tasksOf(slipway, "demo");
  const create = () => slipway.call("POST", "/openapi/workflows/custom", { body: waiting });
  expect((await create()).status).toBe(200);
  const [running, queued] = [await tasks.started("leaving", ["ask"]), await tasks.started("leaving", ["ask"])];
  await tasks.until("leaving", running, "running", ({ status }) => status === "running");
  await indexesShowAll();
  const { workflowId = "" } = (await findWorkflow("leaving")) ?? {};
  const path = "/openapi/workflows/custom?projectKey=demo&workflowKey=leaving";
  expect((await slipway.call("DELETE", path)).json).toEqual({ message: "success" });
  for (const taskId of [running, queued])
    expect(await findTask(workflowId, taskId)).toMatchObject({ status: "cancelled", revoker: "system" });
  await waitFor("its tasks to be concluded", async () => (await openTasks(workflowId)).length === 0);
  expect((await create()).status).toBe(200);
  expect(await tasks.started("leaving", ["ask"])).toBe(1);
});

test("of starts that race the deletion none is left running", async () => {
  const tasks = tasksOf(slipway, "demo");
  for (const name of ["raced-1", "raced-2", "raced-3"]) {
    await slipway.call("POST", "/openapi/workflows/custom", { body: { ...waiting, name, concurrency_limit: -1 } });
    const { workflowId = "" } = (await findWorkflow(name)) ?? {};
    // The deletion takes the longer the more views show the workflow.
    const workflow_list = [{ workflow_key: name, workflow_type: "custom", enabled: true }];
    for (let at = 0; at < 8; at++)
      await slipway.call("POST", "/openapi/workflows/view", {
        body: { project_key: "demo", name: `${name}-${at}`, workflow_list },
      });
    const begun: number[] = [];
    const startUntilRefused = async () => {
      for (;;) {
        const { status, text, json } = await tasks.start(name, ["ask"]);
        if (status === 200) begun.push(json.task_id);
        else return expect([400, 404, 409], text).toContain(status);
      }
    };
    const starters = [1, 2, 3].map(startUntilRefused);
    await waitFor("the first start", () => Promise.resolve(begun.length > 0));
    const deletion = slipway.call("DELETE", `/openapi/workflows/custom?projectKey=demo&workflowKey=${name}`);
    expect((await deletion).status).toBe(200);
    await Promise.all(starters);
    await waitFor(
      "every task to be over",
      async () => {
        // A deletion cannot see what an index does not show yet; the reconciler does.
        await slipway.runtime.reconcile();
        return (await openTasks(workflowId)).length === 0;
      },
      15,
    );
    for (const id of begun)
      expect(await findTask(workflowId, id)).toMatchObject({ status: "cancelled", revoker: "system" });
  }
});

test("tasks of a workflow whose deletion died before it cancelled them are cancelled by the reconciler", async () => {
  const tasks = tasksOf(slipway, "demo");
  await slipway.call("POST", "/openapi/workflows/custom", { body: { ...waiting, name: "orphaned" } });
  const [running, queued] = [await tasks.started("orphaned", ["ask"]), await tasks.started("orphaned", ["ask"])];
  await tasks.until("orphaned", running, "running", ({ status }) => status === "running");
  const { workflowId = "" } = (await findWorkflow("orphaned")) ?? {};
  await table().write(remove(keys.workflow("orphaned")), remove(keys.taskHead("orphaned")));
  await indexesShowAll();
  await slipway.runtime.reconcile();
  await waitFor("its tasks to be concluded", async () => (await openTasks(workflowId)).length === 0);
  for (const taskId of [running, queued])
    expect(await findTask(workflowId, taskId)).toMatchObject({ status: "cancelled", revoker: "system" });
});
