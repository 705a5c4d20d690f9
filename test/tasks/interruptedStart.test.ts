import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import type { TableEngine } from "../../shared/base/store/engine.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import type { Write } from "../../shared/base/store/writes.ts";
import { hasDynamoDb } from "../harness/givenTable.ts";
import { newPerson } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeGates, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let engine: TableEngine;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  if (!hasDynamoDb) engine = currentEngine() as TableEngine;
  await makeGates("shop", "gates", [1]);
});

afterAll(async () => {
  goOn();
  await slipway.close();
});

/** Until the end of the suite: a server does not close while it answers. */
const { promise: never, resolve: goOn } = Promise.withResolvers<void>();
const isOf = (write: Write, pk: string) => (write.kind === "put" ? write.item : write.key).pk.startsWith(pk);

/** Starts a task by a request that gets no further than the transaction that creates it, as if its process had died there. */
async function interrupted(more: object): Promise<void> {
  const { promise: created, resolve } = Promise.withResolvers<void>();
  provideTable(
    new TableClient({
      get: (...given) => engine.get(...given),
      getBatch: (...given) => engine.getBatch(...given),
      queryPage: (...given) => engine.queryPage(...given),
      update: (...given) => engine.update(...given),
      transact: async (writes) => {
        const answer = await engine.transact(writes);
        if (!writes.some((write) => isOf(write, "unanswered#"))) return answer;
        resolve();
        return never.then(() => answer);
      },
    }),
  );
  void tasks.start("gates", [], more).catch(() => undefined);
  await created;
  provideTable(new TableClient(engine));
}

const start = (remark: string, options: object = {}) => tasks.start("gates", [], { remark }, options);

describe.skipIf(hasDynamoDb)("a start that was interrupted behind the creation of its task (decisions 19.12)", () => {
  test("is found by the same body of the same caller, and not by another one", async () => {
    await interrupted({ remark: "lost" });
    const last = (await start("another")).json.task_id;
    const { status, json } = await start("lost");
    expect([status, json]).toMatchObject([
      409,
      {
        description: expect.stringContaining(`task ${last - 1} of workflow gates was started by the same request`),
        extra: { task_id: last - 1 },
      },
    ]);
    const { token } = await newPerson("ann", [{ namespace: "shop", roles: { runner: ["run_workflow"] } }]);
    expect((await start("lost", { token })).status).toBe(200);
    expect((await start("lost", { headers: { "idempotency-key": "mine" } })).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    try {
      expect((await start("lost")).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is no start that was answered: the same body starts again and again, one after another and at once", async () => {
    for (const _ of [1, 2, 3]) expect((await start("often")).status).toBe(200);
    const all = await Promise.all(Array.from({ length: 30 }, () => start("at once")));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(new Set(all.map(({ json }) => json.task_id)).size).toBe(30);
  });
});
