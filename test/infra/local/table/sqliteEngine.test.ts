import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SqliteEngine } from "../../../../infra/local/table/sqliteEngine.ts";
import { TableClient } from "../../../../shared/base/store/tableClient.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let folder: string;
let file: string;
const opened: SqliteEngine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-sqlite-"));
  file = join(folder, "slipway.db");
});

afterEach(() => {
  for (const engine of opened.splice(0)) engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(options = {}): { engine: SqliteEngine; table: TableClient } {
  const engine = new SqliteEngine(file, options);
  opened.push(engine);
  return { engine, table: new TableClient(engine) };
}

const item = (sk: string, more: object = {}) => ({
  kind: "put" as const,
  item: { pk: "one", sk, listPk: "all", listSk: sk, ...more },
});
const listed = async (table: TableClient) => (await table.query({ index: "list", pk: "all" })).map(({ sk }) => sk);

test("late indexes show an item after it is there, each in its order", async () => {
  const { table } = open({ lateIndexMilliseconds: 50 });
  const seen: string[][] = [];
  for (const sk of ["a", "b", "c"]) {
    await table.write(item(sk));
    expect(await table.get({ pk: "one", sk })).toBeDefined();
    seen.push(await listed(table));
  }
  await waitFor("the last entry", async () => (await listed(table)).length === 3);
  expect(seen.every((names) => names.join("") === "abc".slice(0, names.length))).toBe(true);
  expect(seen.some((names, at) => names.length < at + 1)).toBe(true);
});

test("what a transaction asked for is written as it was then", async () => {
  const { table } = open();
  const changed = item("a", { list: [1] });
  const written = table.write(changed);
  (changed.item as unknown as { list: number[] }).list.push(2);
  await written;
  expect(await table.get({ pk: "one", sk: "a" })).toMatchObject({ list: [1] });
});

test("a page ends where DynamoDB's does, at a megabyte, and the search goes on behind it", async () => {
  const { engine, table } = open();
  for (let at = 0; at < 5; at++) await table.write(item(String(at), { text: "x".repeat(300_000) }));
  const first = await engine.queryPage({ pk: "one", consistent: true }, undefined);
  expect(first.items).toHaveLength(4);
  expect(await table.query({ pk: "one" })).toHaveLength(5);
});

test("an expired item is removed with its entries, any other stays", async () => {
  const { engine, table } = open();
  await table.write(item("old", { ttl: 99 }), item("new", { ttl: 101 }), item("lasting"));
  expect(await engine.removeExpired(100)).toBe(1);
  expect(await listed(table)).toEqual(["lasting", "new"]);
  expect(await table.get({ pk: "one", sk: "old" })).toBeUndefined();
});

test("threads and processes that open the same file lose nothing to each other", async () => {
  const { table } = open();
  const key = { pk: "one", sk: "counter" };
  const program = `
    import { workerData } from "node:worker_threads";
    const { SqliteEngine } = await import(workerData.engine);
    const engine = new SqliteEngine(workerData.file);
    const changes = { add: { value: 1 } };
    for (let at = 0; at < 50; at++) await engine.update({ kind: "update", key: workerData.key, changes }, false);
    engine.close();`;
  const engine = new URL("../../../../infra/local/table/sqliteEngine.ts", import.meta.url).href;
  const threads = [1, 2].map((_) => {
    const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const worker = new Worker(url, { workerData: { engine, file, key } });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.once("error", reject).once("exit", () => resolve());
    return promise;
  });
  for (let at = 0; at < 50; at++) await table.updateOne(update(key, { add: { value: 1 } }));
  await Promise.all(threads);
  expect(await table.get(key)).toMatchObject({ value: 150 });
});
