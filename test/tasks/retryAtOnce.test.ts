import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import type { TaskHead } from "../../shared/workflows/records/taskHeads.ts";
import { localClusterId } from "../harness/boutique.ts";
import type { Slipway } from "../harness/slipway.ts";
import { startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

test("a cancelled task is retried when its jobs have ended, and holds one slot at most", async () => {
  const spec = { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } };
  // It takes a moment to end, in which a retry is refused.
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const advanced_setting = { cluster_id: localClusterId };
  const script = { runtime, script_type: "shell", script: "sleep 600", advanced_setting };
  const jobs = [
    { name: "gate", type: "approval", spec },
    { name: "script", type: "freestyle", spec: script },
  ];
  const stages = [{ name: "only", parallel: true, jobs }];
  const body = { name: "hasty", project: "shop", concurrency_limit: 1, stages };
  expect((await slipway.call("POST", "/openapi/workflows/custom", { body })).status).toBe(200);
  await tasks.started("hasty", ["gate", "script"]);
  let refusals = 0;
  for (let time = 0; time < 10; time++) {
    await tasks.until("hasty", 1, "waiting for approval beside a script that runs", ({ stages }) => {
      const statuses = stages.flatMap((stage) => stage.jobs.map(({ status }) => status));
      return statuses.includes("wait_for_approval") && statuses.includes("running");
    });
    expect((await tasks.cancel("hasty", 1)).status).toBe(200);
    await waitFor("the retry to be accepted", async () => {
      const answer = await tasks.retry("hasty", 1);
      if (answer.status === 200) return true;
      refusals++;
      expect(answer.text).toContain("still ending its jobs");
      return false;
    });
    const head = await table().get<TaskHead>(keys.taskHead("hasty"));
    expect(head?.running).toBeLessThanOrEqual(1);
  }
  expect(refusals).toBeGreaterThan(0);
});
