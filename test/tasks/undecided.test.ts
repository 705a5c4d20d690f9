import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_DECISION_SECONDS: "1" } }));
});

afterAll(async () => {
  delete process.env.SLIPWAY_DECISION_SECONDS;
  await slipway.close();
});

test("a job whose error nobody decides about in time ends as it failed, and its task with it", async () => {
  const error_policy = { policy: "manual_check", approval_users: [] };
  const job = { name: "first", type: "freestyle", spec: { script: "true", script_type: "powershell" }, error_policy };
  await makeWorkflow("shop", { name: "undecided", stages: [{ name: "one", jobs: [job] }] });
  const id = await tasks.started("undecided", ["first"]);
  const task = await tasks.end("undecided", id);
  expect(task.status).toBe("failed");
  expect(task.stages[0]?.jobs[0]).toMatchObject({
    status: "failed",
    error: "scripts of type powershell cannot be run here; use a shell script",
    error_handler_user_id: "",
  });
});
