import { afterAll, beforeAll, expect, test } from "vitest";
import { findTask, openTasks } from "../../shared/store/tasks/findTasks.ts";
import { findWorkflow } from "../../shared/store/workflows.ts";
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

const approval = { timeout: 60, type: "native", native_approval: { needed_approvers: 1, approve_users: [] } };
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
  const { workflowId = "" } = (await findWorkflow("leaving")) ?? {};
  const path = "/openapi/workflows/custom?projectKey=demo&workflowKey=leaving";
  expect((await slipway.call("DELETE", path)).json).toEqual({ message: "success" });
  for (const taskId of [running, queued])
    expect(await findTask(workflowId, taskId)).toMatchObject({ status: "cancelled", revoker: "system" });
  await waitFor("its tasks to be concluded", async () => (await openTasks(workflowId)).length === 0);
  expect((await create()).status).toBe(200);
  expect(await tasks.started("leaving", ["ask"])).toBe(1);
});
