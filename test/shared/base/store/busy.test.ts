import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type StartedTable, startTable } from "../../../../infra/local/table/startTable.ts";
import { DynamoDbEngine } from "../../../../shared/base/store/dynamodb/dynamoDbEngine.ts";
import { StoreBusy, type TableEngine } from "../../../../shared/base/store/engine.ts";
import { TableClient } from "../../../../shared/base/store/tableClient.ts";
import { create, update } from "../../../../shared/base/store/writes.ts";
import { faultyEngine } from "../../../harness/faultyEngine.ts";

const key = { pk: "busy", sk: "1" };
const calls: Record<string, (table: TableClient) => Promise<unknown>> = {
  get: (table) => table.get(key),
  getMany: (table) => table.getMany([key]),
  query: (table) => table.query({ pk: key.pk }),
  write: (table) => table.write(create({ pk: "busy", sk: `${Math.random()}`, type: "busy" })),
  writeOnce: (table) => table.writeOnce(create({ pk: "busy", sk: `${Math.random()}`, type: "busy" })),
  updateOne: (table) => table.updateOne(update(key, { set: { type: "busy" } })),
  add: (table) => table.add({ pk: "busy", sk: "count" }, 1),
};

describe("a table whose engine is throttled", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-busy-"));
  let started: StartedTable;
  let tried = 0;
  const failing = (times: number): TableClient => {
    tried = 0;
    return new TableClient(faultyEngine(started.engine, { strikes: () => (++tried <= times ? "busy" : undefined) }));
  };

  beforeAll(async () => {
    started = await startTable({ dataDir, tableName: "slipway" });
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => {
    started.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each(Object.keys(calls))("is asked again: %s", async (name) => {
    await calls[name]?.(failing(3));
    expect(tried).toBeGreaterThanOrEqual(4);
  });

  test.each(Object.keys(calls))("ends with that error after the tenth try: %s", async (name) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    await expect(calls[name]?.(failing(100))).rejects.toThrow(StoreBusy);
    expect(tried).toBe(10);
  });

  test("ends a batch of which some items are never read, and keeps those that came", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    let rounds = 0;
    const answering = (last: number): TableEngine => ({
      ...faultyEngine(started.engine, { strikes: () => undefined }),
      getBatch: async ([first, ...others]) =>
        ++rounds === last
          ? { items: [{ ...first }, ...others.map((one) => ({ ...one }))], pending: [], units: 0 }
          : { items: [{ ...first }], pending: [...others, { pk: "one", sk: "more" }], units: 0 },
    });
    await expect(new TableClient(answering(100)).getMany([key])).rejects.toThrow("1 items of a batch were not read");
    expect(rounds).toBe(10);
    rounds = 0;
    expect(await new TableClient(answering(3)).getMany([key])).toHaveLength(3);
  });
});

describe("DynamoDB that is throttled", () => {
  let server: Server;
  let engine: DynamoDbEngine;
  let answer: object = {};

  beforeAll(async () => {
    vi.stubEnv("AWS_REGION", "us-east-1");
    server = createServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    engine = new DynamoDbEngine({ tableName: "slipway", endpoint, region: "us-east-1" });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.close();
  });

  const cancelled = (...codes: string[]) => ({
    __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    message: "Transaction cancelled, please refer cancellation reasons for specific reasons",
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
  const write = () => engine.transact([create({ ...key, type: "a" }), create({ pk: "busy", sk: "2", type: "a" })]);

  test.each(["ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"])(
    "is busy when a transaction was cancelled by %s",
    async (code) => {
      answer = cancelled("None", code);
      await expect(write()).rejects.toThrow(StoreBusy);
      answer = cancelled("TransactionConflict", code);
      await expect(write()).rejects.toThrow(StoreBusy);
      answer = cancelled("ConditionalCheckFailed", code);
      expect(await write()).toEqual({ failed: [0] });
    },
  );

  test.each(["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"])(
    "is busy when a call failed with %s",
    async (name) => {
      answer = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "slow down" };
      await expect(engine.get(key, true)).rejects.toThrow(StoreBusy);
      await expect(write()).rejects.toThrow(StoreBusy);
    },
    60_000,
  );

  test("is contended by another transaction, and refuses anything else as it does", async () => {
    answer = cancelled("None", "TransactionConflict");
    expect(await write()).toEqual({ contended: true });
    answer = cancelled("None", "ValidationError");
    await expect(write()).rejects.toThrow("Transaction cancelled");
  });
});
