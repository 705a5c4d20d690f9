import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { newPerson, type Person } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let hooks: HookReceiver;
/** Named as executor; without any role. */
let ann: Person;
/** Starts tasks, and is no executor. */
let eve: Person;
/** Administrator of the project, and no executor. */
let lead: Person;

beforeAll(async () => {
  hooks = await startHookReceiver();
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  ann = await newPerson("ann");
  eve = await newPerson("eve", [{ namespace: "shop", roles: { starter: ["run_workflow", "get_workflow"] } }]);
  lead = await newPerson("lead", [{ namespace: "shop", roles: { "project-admin": [] } }]);
});

afterAll(async () => {
  await slipway.close();
  await hooks.close();
});

const pathOf = (key: string, id: number) => `/openapi/workflows/custom/${key}/task/${id}/manual-exec?projectKey=shop`;
const execute = (key: string, id: number, stage_name: string, token?: string) =>
  slipway.call<{ code: number }>("POST", pathOf(key, id), { body: { stage_name }, ...(token && { token }) });
const stateOf = (key: string, id: number, token?: string) =>
  slipway.call<Record<string, unknown>>("GET", pathOf(key, id), token === undefined ? {} : { token });
const untilPaused = (key: string, id: number) => tasks.until(key, id, "paused", ({ status }) => status === "pause");
const stageStatuses = ({ stages }: ShownTask) => stages.map(({ status }) => status);

function byHand(name: string, more: object = {}): Parameters<typeof makeWorkflow>[1] {
  const executors = [{ type: "user", user_id: ann.uid, user_name: "ann" }];
  const manual_exec = { enabled: true, manual_exec_users: executors };
  return {
    ...{ name, concurrency_limit: 1 },
    stages: [
      { name: "build", jobs: [gate("make")] },
      { name: "ship", jobs: [gate("go")], manual_exec },
      { name: "tell", jobs: [gate("say")] },
    ],
    ...more,
  };
}

describe("a stage that is executed by hand (contract W 8.3, 2.12)", () => {
  test("pauses its task before it, frees the slot, and goes on with that stage when somebody executes it", async () => {
    const notify_type = ["created", "pause", "passed"];
    const config = { webhook_notification_config: { address: `${hooks.url}/told`, token: "secret" } };
    await makeWorkflow(
      "shop",
      byHand("halting", { notify_ctls: [{ enabled: true, webhook_type: "webhook", notify_type, ...config }] }),
    );
    const first = await tasks.started("halting", ["make", "go", "say"]);
    const paused = await untilPaused("halting", first);
    expect(stageStatuses(paused)).toEqual(["passed", "pause", ""]);
    expect(paused.end_time).toBeUndefined();
    expect(paused.stages[1]).toMatchObject({
      manual_exec: { enabled: true, excuted: false, manual_exector_id: "", manual_exector_name: "" },
      jobs: [{ status: "" }],
    });

    const second = await tasks.started("halting", ["make", "go", "say"]);
    await untilPaused("halting", second);

    expect((await stateOf("halting", first)).json).toEqual({
      ...{ project_key: "shop", workflow_key: "halting", task_id: first, status: "pause", stage_name: "ship" },
      can_execute: true,
      executors: [{ type: "user", user_id: ann.uid, user_name: "ann", group_id: "", group_name: "" }],
    });
    const madeAt = paused.stages[0]?.jobs[0]?.end_time;
    expect((await execute("halting", first, "ship", ann.token)).json).toEqual({ message: "success" });
    const ended = await tasks.end("halting", first);
    expect([ended.status, ...stageStatuses(ended)]).toEqual(["passed", "passed", "passed", "passed"]);
    expect(ended.stages[1]).toMatchObject({
      manual_exec: { excuted: true, manual_exector_id: ann.uid, manual_exector_name: "ann" },
    });
    expect(ended.stages[0]?.jobs[0]?.end_time).toBe(madeAt);
    expect((await tasks.read("halting", second)).status).toBe("pause");

    const told = (await hooks.receivedOn("/told", 6)).map(({ body }) => JSON.parse(body).workflow);
    const ofFirst = told.filter((workflow) => workflow.task_id === first);
    expect(ofFirst.map(({ status }) => status)).toEqual(["waiting", "pause", "waiting", "passed"]);
  });

  test("tells those who may execute it that it waits, and those who did how the task ended", async () => {
    const email = "ann@example.com";
    expect((await slipway.call("PUT", `/api/v1/users/${ann.uid}`, { body: { name: "ann", email } })).status).toBe(200);
    const lark_person_notification_config = { app_id: "cli_1", target_users: [{ is_stage_executor: true }] };
    const told = {
      enabled: true,
      webhook_type: "feishu_person",
      notify_type: ["passed"],
      lark_person_notification_config,
    };
    const executor = { type: "user", user_id: ann.uid, user_name: "ann" };
    const manual_exec = { enabled: true, manual_exec_users: [executor], lark_person_notification_config };
    const stages = [{ name: "ship", jobs: [gate("go")], manual_exec }];
    await makeWorkflow("shop", { name: "telling", notify_ctls: [told], stages });
    const id = await tasks.started("telling", ["go"]);
    await untilPaused("telling", id);
    const list = `/api/aslan/workflow/v4/deliveries?projectKey=shop&workflowKey=telling&taskId=${id}`;
    const targets = async () => {
      const { json } = await slipway.call<{ deliveries: { event: string; target: string }[] }>("GET", list);
      return json.deliveries.map(({ event, target }) => `${event}: ${target}`).sort();
    };
    await waitFor("the executor to be told", async () => (await targets()).join() === `pause: email ${email}`);
    expect((await execute("telling", id, "ship", ann.token)).status).toBe(200);
    await tasks.end("telling", id);
    const both = `passed: email ${email},pause: email ${email}`;
    await waitFor("the executor to be told of the end", async () => (await targets()).join() === both);
  });

  test("may be executed by its executors and administrators alone, under its name, once", async () => {
    await makeWorkflow("shop", byHand("guarded", { concurrency_limit: -1 }));
    const first = await tasks.started("guarded", ["make", "go"]);
    await untilPaused("guarded", first);
    expect((await stateOf("guarded", first, eve.token)).json).toMatchObject({ can_execute: false });
    expect((await execute("guarded", first, "ship", eve.token)).status).toBe(403);
    expect((await execute("guarded", first, "build", ann.token)).status).toBe(400);
    expect((await tasks.read("guarded", first)).status).toBe("pause");
    const answers = await Promise.all([1, 2].map(() => execute("guarded", first, "ship", ann.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      expect.toSatisfy((status) => status >= 400 && status < 500),
    ]);
    expect((await tasks.end("guarded", first)).status).toBe("passed");
    expect((await execute("guarded", first, "ship", ann.token)).status).toBe(400);
    expect((await stateOf("guarded", first)).status).toBe(400);

    const second = await tasks.started("guarded", ["make", "go"]);
    await untilPaused("guarded", second);
    expect((await execute("guarded", second, "ship", lead.token)).status).toBe(200);
    expect((await tasks.end("guarded", second)).stages[1]).toMatchObject({
      manual_exec: { manual_exector_name: "lead" },
    });
  });

  test("is not executed by a token that is limited to other projects", async () => {
    await makeWorkflow("shop", byHand("foreign"));
    const id = await tasks.started("foreign", ["make", "go"]);
    await untilPaused("foreign", id);
    const made = await slipway.call<{ token: string }>("POST", `/openapi/users/${ann.uid}/tokens`, {
      token: ann.token,
      body: { name: "elsewhere", projects: ["other"] },
    });
    expect(made.json.token).toMatch(/^slw_/);
    const { status } = await execute("foreign", id, "ship", made.json.token);
    expect([status, (await tasks.read("foreign", id)).status]).toEqual([403, "pause"]);
  });

  test("ends with its task when that is cancelled", async () => {
    await makeWorkflow("shop", byHand("dropped"));
    const id = await tasks.started("dropped", ["make", "go", "say"]);
    await untilPaused("dropped", id);
    expect((await tasks.cancel("dropped", id)).status).toBe(200);
    const task = await tasks.end("dropped", id);
    expect([task.status, task.task_revoker]).toEqual(["cancelled", "admin"]);
    expect(stageStatuses(task)).toEqual(["passed", "cancelled", ""]);
    expect((await execute("dropped", id, "ship", ann.token)).status).toBe(400);
  });

  test("and is approved, waits for both again in a retry", async () => {
    const native_approval = { needed_approvers: 1, approve_users: [{ user_id: ann.uid }] };
    const approval = { enabled: true, type: "native", native_approval };
    const failing = { name: "go", type: "freestyle", spec: { script: "true", script_type: "powershell" } };
    const manual_exec = { enabled: true, manual_exec_users: [] };
    const stages = [{ name: "ship", approval, manual_exec, jobs: [failing] }];
    await makeWorkflow("shop", { name: "twice", stages });
    const id = await tasks.started("twice", ["go"]);
    for (let run = 0; run < 2; run++) {
      await untilPaused("twice", id);
      expect((await execute("twice", id, "ship")).status).toBe(200);
      await tasks.until("twice", id, "asking", ({ stages }) => stages[0]?.status === "wait_for_approval");
      expect((await tasks.approve("twice", id, "ship", true, ann.token)).status).toBe(200);
      expect((await tasks.end("twice", id)).status).toBe("failed");
      if (run === 0) expect((await tasks.retry("twice", id)).status).toBe(200);
    }
  });
});
