import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { invokeNow } from "../../../../shared/base/aws/functions/invokeNow.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeGates, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const { call, deliveries, settled } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const nightly = { name: "nightly", cron: "30 2 * * 1-5", time_zone: "Europe/Berlin" };
const add = (workflow: string, body: object = nightly) => call("POST", `/cron/${workflow}`, { body });

/** What the scheduler knows of a workflow's crons: expression and zone, and what it sends. */
async function timed(workflow: string): Promise<{ when: string; input: string }[]> {
  return slipway.runtime.aws.schedules
    .all()
    .filter(({ name }) => name.startsWith("cron-"))
    .map(({ definition: { ScheduleExpression, ScheduleExpressionTimezone, Target } }) => ({
      when: `${ScheduleExpression} ${ScheduleExpressionTimezone}`,
      input: Target.Input,
    }))
    .filter(({ input }) => JSON.parse(input).workflowKey === workflow);
}

const untilTimed = (workflow: string, wanted: readonly string[]) =>
  waitFor(`the scheduler to know ${wanted.join() || "nothing"}`, async () => {
    const found = await timed(workflow);
    return JSON.stringify(found.map(({ when }) => when)) === JSON.stringify(wanted) && [found];
  });

/** Invokes as the scheduler does, for so many minutes before now. */
async function due(input: string, minutesAgo: number): Promise<void> {
  const time = new Date(Math.floor(Date.now() / 60_000 - minutesAgo) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  await invokeNow("trigger-starter", JSON.parse(input.replace("<aws.scheduler.scheduled-time>", time)));
}

async function scheduled(workflow: string): Promise<string> {
  await makeGates("shop", workflow, [1], { concurrency_limit: -1 });
  expect((await add(workflow)).json).toEqual(success);
  const [found] = await untilTimed(workflow, ["cron(30 2 ? * 2-6 *) Europe/Berlin"]);
  return found?.[0]?.input ?? "";
}

describe("a cron", () => {
  test("is one schedule at the scheduler, follows what is saved, and goes when it is deleted", async () => {
    await scheduled("kept");
    expect((await call("GET", "/cron/preset?workflowName=kept")).json).toMatchObject({ time_zone: "UTC" });
    expect((await call("GET", "/cron?workflowName=kept")).json).toMatchObject([{ ...nightly, enabled: true }]);
    const change = (body: object) => call("PUT", "/cron/kept", { body: { ...nightly, ...body } });
    expect((await change({ cron: "0 * 1 * *" })).json).toEqual(success);
    await untilTimed("kept", ["cron(0 * 1 * ? *) Europe/Berlin"]);
    await change({ enabled: false });
    await untilTimed("kept", []);
    await change({});
    await untilTimed("kept", ["cron(30 2 ? * 2-6 *) Europe/Berlin"]);
    expect((await call("DELETE", "/cron/kept/trigger/nightly")).json).toEqual(success);
    expect((await call("GET", "/cron?workflowName=kept")).json).toEqual([]);
    await untilTimed("kept", []);
    await waitFor("its record to be gone", async () => (await table().query({ pk: "triggers#kept" })).length === 0);
    expect((await change({})).status).toBe(404);
  });

  test("starts its workflow once for each time, however often it is told", async () => {
    const input = await scheduled("once");
    await Promise.all([due(input, 3), due(input, 3), due(input, 3)]);
    await due(input, 3);
    await due(input, 2);
    const found = await settled("once", 2);
    expect(found.map(({ status, task_id }) => [status, task_id]).sort()).toEqual([
      ["started", 1],
      ["started", 2],
    ]);
    expect(await tasks.end("once", 2)).toMatchObject({ status: "passed", task_creator: "cron" });
  });

  test("starts nothing for what older settings timed, what is more than an hour late, or a deleted workflow", async () => {
    const input = await scheduled("late");
    await due(input, 61);
    await call("PUT", "/cron/late", { body: { ...nightly, cron: "31 2 * * *" } });
    await due(input, 1);
    expect(await deliveries("late")).toEqual([]);
    await untilTimed("late", ["cron(31 2 * * ? *) Europe/Berlin"]);
    const current = (await timed("late"))[0]?.input ?? "";
    await slipway.call("DELETE", "/openapi/workflows/custom?workflowKey=late&projectKey=shop");
    await slipway.runtime.reconcile();
    await untilTimed("late", []);
    await due(current, 1);
    await makeGates("shop", "late", [1]);
    await due(current, 1);
    expect(await deliveries("late")).toEqual([]);
    expect(await timed("late")).toEqual([]);
  });

  test("is kept at the scheduler by the reconciler when whoever saved it was killed before", async () => {
    await makeGates("shop", "killed", [1]);
    const [{ workflowId = "" } = {}] = await table().query<{ workflowId: string }>({ pk: "workflow#killed" });
    await add("killed");
    await untilTimed("killed", ["cron(30 2 ? * 2-6 *) Europe/Berlin"]);
    const [item] = await table().query<Record<string, unknown>>({ pk: "triggers#killed" });
    const changed = { ...item, cron: "45 2 * * *", revision: 2, unsynced: true };
    const place = { pk: "triggers#killed", sk: "cron#nightly", type: "trigger" };
    const dueSk = `000000000001#${workflowId}#nightly`;
    await table().write({ kind: "put", item: { ...changed, ...place, duePk: "cron-triggers", dueSk } });
    await slipway.runtime.reconcile();
    await untilTimed("killed", ["cron(45 2 * * ? *) Europe/Berlin"]);
  });

  test.each([
    [{ cron: "0 0 1 * * *" }, "cron", /five fields/],
    [{ cron: "0 0 1 * 1" }, "cron", /day of month and day of week/],
    [{ cron: "0 0 30 2 *" }, "cron", /never comes/],
    [{ cron: "61 * * * *" }, "cron", /minute "61" is wrong/],
    [{ cron: "" }, "cron", /five fields/],
    [{ time_zone: "Mars/Olympus" }, "time_zone", /IANA/],
  ])("is refused as %j", async (body, path, problem) => {
    await makeGates("shop", "wrong", [1]).catch(() => undefined);
    const answer = await add("wrong", { ...nightly, ...body });
    expect(answer.status).toBe(400);
    expect(problemsOf(answer)).toEqual([{ path, problem: expect.stringMatching(problem) }]);
  });
});

describe("at a time of its own", () => {
  test("the scheduler of one machine fires a cron of every minute", { timeout: 100_000 }, async () => {
    await makeGates("shop", "each-minute", [1], { concurrency_limit: -1 });
    await add("each-minute", { name: "each", cron: "* * * * *" });
    await waitFor("the minute to come", async () => (await deliveries("each-minute")).length > 0, 80);
    expect((await settled("each-minute"))[0]).toMatchObject({ status: "started", task_id: 1, kind: "cron" });
  });
});
