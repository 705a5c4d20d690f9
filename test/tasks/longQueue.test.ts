import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { queueKeys } from "../../shared/base/store/keys/queueKeys.ts";
import { recordAllStoreCalls } from "../../shared/base/store/storeCalls.ts";
import { table } from "../../shared/base/store/table.ts";
import { remove, update } from "../../shared/base/store/writes.ts";
import { setConcurrency } from "../../shared/workflows/records/concurrency.ts";
import { findTask } from "../../shared/workflows/records/findTasks.ts";
import { queueItem, readQueueFront } from "../../shared/workflows/records/queue.ts";
import { runningIn } from "../../shared/workflows/records/rules/slots.ts";
import type { Task } from "../../shared/workflows/records/task.ts";
import { findTaskOwner, type TaskHead } from "../../shared/workflows/records/taskHeads.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { lengthenQueue } from "../harness/longQueue.ts";
import type { Slipway } from "../harness/slipway.ts";
import { unitsOf } from "../harness/storeCallsOf.ts";
import { type CostSums, leastTaskCosts } from "../harness/taskCosts.ts";
import { makeGates, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 300_000 });

/** How much dearer anything may be where a thousand tasks wait. */
const most = 1.2;

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let admin: string;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  const { json } = await slipway.call<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users");
  admin = json.users.find(({ account }) => account === "admin")?.uid ?? "";
});

afterAll(() => slipway.close());

beforeEach(() => limitAll(50));

const limitAll = (workflowConcurrency: number) => setConcurrency({ workflowConcurrency, buildConcurrency: 10 });

/** Waits for the administrator. */
function makeHolding(name: string, concurrency_limit: number): Promise<void> {
  const native_approval = { needed_approvers: 1, approve_users: [{ user_id: admin }] };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  return makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [ask] }], concurrency_limit });
}

const isHeld = ({ stages }: ShownTask) => stages[0]?.jobs[0]?.status === "wait_for_approval";
const untilHeld = (name: string, id: number) => tasks.until(name, id, "waiting for approval", isHeld);
const approve = (name: string, id: number) => tasks.approve(name, id, "ask", true);
const ownerIdOf = async (name: string) => (await findTaskOwner(name))?.id ?? "";
const headOf = (name: string) => table().get<TaskHead>(keys.taskHead(name));
const taskOf = async (name: string, id: number) => (await findTask(await ownerIdOf(name), id)) as Task;

function expectAlike(many: Pick<CostSums, "trips" | "units">, few: Pick<CostSums, "trips" | "units">): void {
  expect(many.trips / few.trips, `round trips: ${many.trips} instead of ${few.trips}`).toBeLessThanOrEqual(most);
  expect(many.units / few.units, `units: ${many.units} instead of ${few.units}`).toBeLessThanOrEqual(most);
}

/** From an approval until the next task of the workflow asks for one. */
async function costOfHandingOn(name: string, from: number): Promise<Pick<CostSums, "trips" | "units">> {
  const { calls } = await recordAllStoreCalls(async () => {
    await approve(name, from);
    await tasks.end(name, from);
    await untilHeld(name, from + 1);
  });
  // Looking costs as often as it is done.
  const writes = calls.filter(({ kind }) => kind === "write" || kind === "add");
  return { trips: writes.length, units: unitsOf(writes) };
}

describe("a thousand waiting tasks", () => {
  test("cost those nothing that start and end beside them", async () => {
    await makeGates("shop", "beside", [1]);
    const start = () => tasks.started("beside", []);
    const few = await leastTaskCosts(slipway.runtime.aws, start);
    await makeHolding("long", 1);
    await untilHeld("long", await tasks.started("long", []));
    await lengthenQueue(await ownerIdOf("long"), await tasks.started("long", []), 1000);
    expectAlike(await leastTaskCosts(slipway.runtime.aws, start), few);
    // Nor the workflow itself, whose next one starts.
    await makeHolding("short", 1);
    await untilHeld("short", await tasks.started("short", []));
    await tasks.started("short", []);
    expectAlike(await costOfHandingOn("long", 1), await costOfHandingOn("short", 1));
    expect((await headOf("long"))?.queued).toBe(1000);
  });
});

describe("what waited or ran when this release came", () => {
  test("starts in its order and gives its slot back", async () => {
    await makeHolding("older", 1);
    await untilHeld("older", await tasks.started("older", []));
    const ids = [await tasks.started("older", []), await tasks.started("older", [])];
    await asBefore("older", 1, ids);
    const newest = await tasks.started("older", []);
    for (const [ended, next] of [
      [1, ids[0]],
      [ids[0], ids[1]],
      [ids[1], newest],
    ] as [number, number][]) {
      expect((await tasks.read("older", next)).status).toBe("waiting");
      expect((await approve("older", ended)).status).toBe(200);
      await untilHeld("older", next);
    }
    await approve("older", newest);
    await tasks.end("older", newest);
    expect(await table().get(queueKeys.slots())).toMatchObject({ running: 0 });
    expect(await headOf("older")).toMatchObject({ running: 0, queued: 0 });
  });

  /** One queue for all, one counter for all, and nothing of either in the records of workflows and tasks. */
  async function asBefore(name: string, running: number, waiting: readonly number[]): Promise<void> {
    const held = await taskOf(name, running);
    await table().write(
      update(keys.task(held.owner.id, running), { unset: ["slot"] }),
      update(queueKeys.slots(held.slot), { add: { running: -1 } }),
      update(queueKeys.slots(), { set: { type: "task-slots" }, add: { running: 1 } }),
      update(keys.taskHead(name), { unset: ["queued"] }),
    );
    for (const id of waiting) {
      const { owner, position, taskId } = await taskOf(name, id);
      const place = { owner, position, taskId };
      const item = { ...queueItem(place, "waiting"), version: 1 };
      await table().write(remove(queueKeys.own(position, owner.id, taskId)), { kind: "put", item });
    }
  }
});

describe("whoever dies", () => {
  test("between raising a limit and starting what waits for it is made good within a minute", async () => {
    await makeHolding("raised", 0);
    const id = await tasks.started("raised", []);
    expect(await headOf("raised")).toMatchObject({ queued: 1 });
    await table().write(update(keys.taskHead("raised"), { set: { limit: 1 } }));
    await indexesShowAll();
    await slipway.runtime.reconcile();
    await untilHeld("raised", id);
    expect(await headOf("raised")).toMatchObject({ queued: 0, running: 1 });
    await approve("raised", id);
    await tasks.end("raised", id);
  });

  test("between bringing a task to the installation's queue and starting it, likewise", async () => {
    await makeHolding("brought", 0);
    const id = await tasks.started("brought", []);
    const { owner, position, taskId } = await taskOf("brought", id);
    await table().write(
      remove(queueKeys.own(position, owner.id, taskId)),
      { kind: "put", item: { ...queueItem({ owner, position, taskId }, "waiting"), version: 1 } },
      update(keys.taskHead("brought"), { set: { limit: 1 }, add: { queued: -1 } }),
    );
    await indexesShowAll();
    await slipway.runtime.reconcile();
    await untilHeld("brought", id);
    await approve("brought", id);
    await tasks.end("brought", id);
  });
});

test("a task that waits behind its workflow's limit can be cancelled, and those behind it start", async () => {
  await makeHolding("cancelled", 1);
  await untilHeld("cancelled", await tasks.started("cancelled", []));
  const [second, third] = [await tasks.started("cancelled", []), await tasks.started("cancelled", [])];
  expect((await tasks.cancel("cancelled", second)).status).toBe(200);
  expect((await tasks.read("cancelled", second)).status).toBe("cancelled");
  expect(await headOf("cancelled")).toMatchObject({ queued: 1 });
  await approve("cancelled", 1);
  await untilHeld("cancelled", third);
  expect(await headOf("cancelled")).toMatchObject({ queued: 0, running: 1 });
});

/** The last one: what it leaves waiting would start later. */
test("a thousand tasks that wait for the installation cost those nothing that come and go", async () => {
  const before = runningIn((await readQueueFront()).slots);
  await limitAll(before + 1);
  await makeHolding("full", -1);
  await untilHeld("full", await tasks.started("full", []));
  const starting = async () => {
    const { calls } = await recordAllStoreCalls(() => tasks.started("full", []));
    return { trips: calls.length, units: unitsOf(calls) };
  };
  const [few, second] = [await starting(), 2];
  await lengthenQueue(await ownerIdOf("full"), second, 1000);
  expectAlike(await starting(), few);
  const { calls } = await recordAllStoreCalls(async () => {
    await approve("full", 1);
    await untilHeld("full", second);
  });
  const reads = calls.filter(({ kind }) => kind === "query" || kind === "getMany");
  expect(Math.max(...reads.map(({ capacityUnits }) => capacityUnits))).toBeLessThan(10);
  expect((await readQueueFront()).isWhole).toBe(false);
});
