import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedTable, startTable } from "../../../../infra/local/table/startTable.ts";
import { less, mustExist, mustNotExist } from "../../../../shared/base/store/conditions.ts";
import type { TableEngine } from "../../../../shared/base/store/engine.ts";
import { newId } from "../../../../shared/base/store/ids.ts";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { TableClient } from "../../../../shared/base/store/tableClient.ts";
import { tryWrite } from "../../../../shared/base/store/tryWrite.ts";
import { create, update, type Write } from "../../../../shared/base/store/writes.ts";
import { givenTable, hasDynamoDb } from "../../../harness/givenTable.ts";
import { program, run } from "./engines/programs.ts";

/** SLIPWAY_TEST_PROGRAMS=10000 runs as many as a release has to pass. */
const runs = Number(process.env.SLIPWAY_TEST_PROGRAMS ?? 300);
/** Without it every run tries the same, so that a change is not refused for what another one brought. */
const seed = process.env.SLIPWAY_TEST_PROGRAMS === undefined ? { seed: 34 } : {};

const dataDir = mkdtempSync(join(tmpdir(), "slipway-same-"));
const given = givenTable(dataDir);
const engines: Record<string, TableEngine> = {};
const started: StartedTable[] = [];

beforeAll(async () => {
  started.push(await startTable({ dataDir, tableName: "slipway" }));
  if (hasDynamoDb) started.push(await startTable({ dataDir, ...given }));
  for (const [at, { engine }] of started.entries()) engines[at === 0 ? "SQLite" : "DynamoDB"] = engine;
});

afterAll(async () => {
  for (const { close } of started) close();
  await given.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

const sameAnswers = (one: TableEngine, other: TableEngine) =>
  fc.asyncProperty(program, async (steps) => {
    const name = newId();
    const [ours, theirs] = await Promise.all([
      run(new TableClient(one), steps, name),
      run(new TableClient(other), steps, name),
    ]);
    expect(ours).toEqual(theirs);
  });

const engine = (name: string): TableEngine => engines[name] as TableEngine;

describe.skipIf(!hasDynamoDb)("SQLite and DynamoDB", () => {
  test(
    "answer every program alike: items, order, which writes lost, and what reads cost",
    () => fc.assert(sameAnswers(engine("SQLite"), engine("DynamoDB")), { numRuns: runs, ...seed }),
    3_600_000,
  );

  const largeItems = fc.array(fc.integer({ min: 1000, max: 399_000 }), { minLength: 3, maxLength: 12 });

  test(
    "end their pages alike",
    () =>
      fc.assert(
        fc.asyncProperty(largeItems, fc.boolean(), async (sizes, descending) => {
          const pk = newId();
          const [ours, theirs] = await Promise.all(
            ["SQLite", "DynamoDB"].map(async (name) => {
              const table = new TableClient(engine(name));
              for (const [at, size] of sizes.entries())
                await table.write({ kind: "put", item: { pk, sk: String(100 + at), text: "x".repeat(size) } });
              return (await recordStoreCalls(() => table.query({ pk, descending }))).calls;
            }),
          );
          expect(ours).toEqual(theirs);
        }),
        { numRuns: 10, ...seed },
      ),
    300_000,
  );
});

/** The engine, but for one of its methods. */
function faulty(of: TableEngine, fault: Partial<TableEngine>): TableEngine {
  const methods = ["get", "getBatch", "queryPage", "transact", "update"] as const;
  const own = Object.fromEntries(methods.map((name) => [name, of[name].bind(of)])) as unknown as TableEngine;
  return { ...own, ...fault };
}

/** Mistakes that an engine could make, each in one place. */
const faults: Record<string, (of: TableEngine) => Partial<TableEngine>> = {
  "the order of a search is lost": (of) => ({
    queryPage: (search, from) => of.queryPage({ ...search, descending: false }, from),
  }),
  "a limit leaves one item out": (of) => ({
    queryPage: async (search, from) => {
      const page = await of.queryPage(search, from);
      return search.limit === undefined ? page : { ...page, items: page.items.slice(1) };
    },
  }),
  "a condition is not looked at": (of) => ({
    transact: (writes) =>
      of.transact(writes.map((write) => (write.kind === "put" ? { kind: "put", item: write.item } : write))),
  }),
  "a lost write has another's name": (of) => ({
    transact: async (writes) => {
      const outcome = await of.transact(writes);
      return "failed" in outcome ? { failed: outcome.failed.map((at) => (at + 1) % writes.length) } : outcome;
    },
  }),
  "an attribute stays that was taken away": (of) => ({
    update: (write, answersItem) => {
      const { unset: _unset, ...changes } = write.changes;
      return of.update({ ...write, changes: { add: { other: 0 }, ...changes } }, answersItem);
    },
  }),
  "a read costs too little": (of) => ({
    get: async (key, consistent) => ({ ...(await of.get(key, consistent)), units: 0.5 }),
  }),
};

describe("a fault of one side is found", () => {
  const sides = ["SQLite", ...(hasDynamoDb ? ["DynamoDB"] : [])];
  const cases = sides.flatMap((side) => Object.keys(faults).map((fault) => [fault, side] as const));

  test.each(cases)(
    "%s (%s)",
    async (fault, side) => {
      const other = faulty(engine(side), faults[fault]?.(engine(side)) ?? {});
      const found = await fc.check(sameAnswers(engine("SQLite"), other), { numRuns: 1000, endOnFailure: true });
      expect(found.failed).toBe(true);
    },
    300_000,
  );
});

describe.each(["SQLite", ...(hasDynamoDb ? ["DynamoDB"] : [])])("transactions at the same moment in %s", (name) => {
  const table = () => new TableClient(engine(name));
  const many = Array.from({ length: 20 }, (_, at) => at);

  test("make an item once", async () => {
    const item = { pk: newId(), sk: "one", type: "test" };
    const made = await Promise.all(many.map((at) => tryWrite(table().write(create({ ...item, at })))));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test("lose no addition, in or out of a transaction, and never pass a limit", async () => {
    const key = { pk: newId(), sk: "counter" };
    const slots = { pk: key.pk, sk: "slots" };
    await table().write({ kind: "put", item: { ...slots, taken: 0 }, condition: mustNotExist });
    const taken = await Promise.all(
      many.map(async (at) => {
        if (at % 2 === 0) await table().add(key, 1);
        else await table().write(update(key, { add: { value: 1 } }));
        const take: Write = update(slots, { add: { taken: 1 } }, less("taken", 5));
        return tryWrite(table().write(take));
      }),
    );
    expect(await table().get(key)).toMatchObject({ value: many.length });
    expect(await table().get(slots)).toMatchObject({ taken: 5 });
    expect(taken.filter(Boolean)).toHaveLength(5);
  });

  test("keep what belongs together together", async () => {
    const pk = newId();
    const both = (at: number): Write[] => ["left", "right"].map((sk) => ({ kind: "put", item: { pk, sk, at } }));
    await Promise.all(many.map((at) => table().write(...both(at))));
    const [left, right] = await table().query<{ at: number }>({ pk });
    expect(left?.at).toBe(right?.at);
  });

  test("see what was answered before they began", async () => {
    const key = { pk: newId(), sk: "last" };
    for (const at of many) {
      await table().write({ kind: "put", item: { ...key, at, duePk: key.pk, dueSk: String(at) } });
      expect(await table().get(key)).toMatchObject({ at });
      expect(await tryWrite(table().write({ kind: "check", key, condition: mustExist }))).toBe(true);
    }
  });
});
