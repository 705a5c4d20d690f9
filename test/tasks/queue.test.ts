import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { remove } from "../../shared/base/store/writes.ts";
import { findTask } from "../../shared/workflows/records/findTasks.ts";
import { readQueueFront } from "../../shared/workflows/records/queue.ts";
import { runningIn } from "../../shared/workflows/records/rules/slots.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let hooks: HookReceiver;
let admin: string;

beforeAll(async () => {
  hooks = await startHookReceiver();
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  const { json } = await slipway.call<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users");
  admin = json.users.find(({ account }) => account === "admin")?.uid ?? "";
});

afterAll(async () => {
  await slipway.close();
  await hooks.close();
});

/** Waits for the administrator. */
const holding = (name: string, more: object = {}): Parameters<typeof makeWorkflow>[1] => {
  const native_approval = { needed_approvers: 1, approve_users: [{ user_id: admin }] };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  return { name, stages: [{ name: "one", jobs: [ask] }], ...more };
};
const passing = (name: string, more: object = {}) => ({ name, stages: [{ name: "one", jobs: [gate("go")] }], ...more });
const start = (name: string) => tasks.started(name, []);
const isHeld = ({ stages }: ShownTask) => stages[0]?.jobs[0]?.status === "wait_for_approval";
const untilHeld = (name: string, id: number) => tasks.until(name, id, "waiting for approval", isHeld);
const approve = async (name: string, id: number) => {
  expect((await tasks.approve(name, id, "ask", true)).status).toBe(200);
  return tasks.end(name, id);
};
const statusOf = async (name: string, id: number) => (await tasks.read(name, id)).status;
const limitAll = async (workflow_concurrency: number, build_concurrency = 10) => {
  const body = { workflow_concurrency, build_concurrency };
  expect((await slipway.call("POST", "/api/aslan/system/concurrency/workflow", { body })).status).toBe(200);
};

beforeEach(() => limitAll(50));

describe("the queue (contract W 8.4)", () => {
  test("a workflow at its limit does not block those behind it; its own go on in order", async () => {
    await makeWorkflow("shop", holding("blocked", { concurrency_limit: 1 }));
    await makeWorkflow("shop", passing("behind"));
    const [first, second, third] = [await start("blocked"), await start("blocked"), await start("blocked")];
    await untilHeld("blocked", first);
    expect((await tasks.end("behind", await start("behind"))).status).toBe("passed");
    expect([await statusOf("blocked", second), await statusOf("blocked", third)]).toEqual(["waiting", "waiting"]);
    expect((await approve("blocked", first)).status).toBe("passed");
    await untilHeld("blocked", second);
    expect(await statusOf("blocked", third)).toBe("waiting");
    expect((await tasks.cancel("blocked", second)).status).toBe(200);
    await untilHeld("blocked", third);
    await approve("blocked", third);
  });

  test("of all workflows no more run than the installation allows, and a higher limit counts for what waits", async () => {
    for (const name of ["one", "two", "three"]) await makeWorkflow("shop", holding(name, { concurrency_limit: -1 }));
    await limitAll(2);
    for (const name of ["one", "two", "three"]) await start(name);
    await Promise.all([untilHeld("one", 1), untilHeld("two", 1)]);
    expect(await statusOf("three", 1)).toBe("waiting");
    await approve("two", 1);
    await untilHeld("three", 1);
    const more = await start("two");
    expect(await statusOf("two", more)).toBe("waiting");
    const next = await start("one");
    await limitAll(3);
    expect([await statusOf("two", more), await statusOf("one", next)]).toEqual([
      expect.not.stringMatching("waiting"),
      "waiting",
    ]);
    await untilHeld("two", more);
    for (const [name, id] of [
      ["one", 1],
      ["three", 1],
      ["two", more],
      ["one", next],
    ] as const) {
      await untilHeld(name, id);
      await approve(name, id);
    }
    expect(runningIn((await readQueueFront()).slots)).toBe(0);
  });

  test("of a parallel stage no more jobs run than the installation allows", async () => {
    const native_approval = { needed_approvers: 1, approve_users: [{ user_id: admin }] };
    const jobs = ["a", "b", "c"].map((name) => ({ name, type: "approval", spec: { type: "native", native_approval } }));
    await makeWorkflow("shop", { name: "wide", stages: [{ name: "one", parallel: true, jobs }] });
    await limitAll(50, 2);
    const id = await start("wide");
    const asked = ({ stages }: ShownTask) =>
      stages[0]?.jobs.filter(({ status }) => status === "wait_for_approval") ?? [];
    const two = asked(await tasks.until("wide", id, "asking twice", (task) => asked(task).length === 2));
    expect(two.map(({ origin_name }) => origin_name)).toEqual(["a", "b"]);
    expect((await tasks.read("wide", id)).stages[0]?.jobs[2]?.status).toBe("");
    await tasks.approve("wide", id, "a", true);
    await tasks.until(
      "wide",
      id,
      "asking for the third",
      ({ stages }) => stages[0]?.jobs[2]?.status === "wait_for_approval",
    );
    for (const name of ["b", "c"]) await tasks.approve("wide", id, name, true);
    expect((await tasks.end("wide", id)).status).toBe("passed");
  });

  test("a waiting task of a workflow that was deleted is dropped", async () => {
    await makeWorkflow("shop", passing("leaving", { concurrency_limit: 0 }));
    const id = await start("leaving");
    const owner = await findTaskOwner("leaving");
    // As if the deletion had died between the workflow and its tasks.
    await table().write(remove(keys.taskHead("leaving")));
    await indexesShowAll();
    await slipway.runtime.reconcile();
    const dropped = await waitFor("it to be dropped", async () => {
      const task = await findTask(owner?.id ?? "", id);
      return task?.status === "cancelled" && task;
    });
    expect(dropped).toMatchObject({ revoker: "system", endTime: expect.any(Number) });
    expect(dropped.endTime).toBeGreaterThan(0);
  });
});

test("a task that ends is stored, then told once, then the next one starts (contract W 8.10)", async () => {
  const told = {
    ...{ enabled: true, webhook_type: "webhook", notify_type: ["passed", "failed", "timeout", "cancelled", "reject"] },
    webhook_notification_config: { address: `${hooks.url}/ends`, token: "t" },
  };
  await makeWorkflow("shop", holding("telling", { concurrency_limit: 1, notify_ctls: [told] }));
  const ids = [await start("telling"), await start("telling"), await start("telling")];
  for (const [at, id] of ids.entries()) {
    await untilHeld("telling", id);
    if (at === 2) await tasks.cancel("telling", id);
    else await tasks.approve("telling", id, "ask", at === 0);
    const { status, end_time } = await tasks.end("telling", id);
    const received = await hooks.receivedOn("/ends", at + 1);
    expect(JSON.parse(received[at]?.body ?? "").workflow).toMatchObject({ task_id: id, status, end_time });
  }
  await slipway.runtime.reconcile();
  const all = (await hooks.receivedOn("/ends", 3)).map(({ body }) => JSON.parse(body).workflow);
  expect(all.map(({ task_id, status }) => [task_id, status])).toEqual([
    [1, "passed"],
    [2, "reject"],
    [3, "cancelled"],
  ]);
});
