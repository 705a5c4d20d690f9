import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retainOperations } from "../../../../shared/access/audit/retainOperations.ts";
import { appendOperation } from "../../../../shared/access/audit/store/append.ts";
import { readAnchor } from "../../../../shared/access/audit/store/chains.ts";
import { logCounts } from "../../../../shared/access/audit/store/counts.ts";
import { sealOperations } from "../../../../shared/access/audit/store/sealOperations.ts";
import { verifyOperations } from "../../../../shared/access/audit/verifyOperations.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { listEnvironment, listOperations } from "../../../functions/api/operations/operationCalls.ts";
import { addOperations, someOperation } from "../../../harness/operations.ts";
import { rawItems } from "../../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const days = 30;
const old = nowSeconds() - (days + 1) * 86_400;
const fresh = nowSeconds() - (days - 1) * 86_400;
let slipway: Slipway;

const record = (at: number, createdAt: number) => ({
  ...someOperation,
  username: at % 2 === 0 ? "Ada" : "Bob",
  projectKey: ["", "shop", "web"][at % 3] ?? "",
  function: at % 2 === 0 ? ("Label" as const) : ("Test Environment" as const),
  scene: at % 2 === 0 ? "" : "environment",
  targets: at % 2 === 0 ? [] : ["dev"],
  status: at % 5 === 0 ? 403 : 200,
  detail: `record ${at}`,
  createdAt,
});

const total = async (search: string): Promise<number> => {
  const { json } = await listOperations(slipway, `${search}&perPage=1000&page=1`);
  expect(json.operation_logs, search).toHaveLength(json.total);
  return json.total;
};

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OPERATION_LOG_DAYS: String(days) } });
  for (const sequence of [1, 2]) {
    const before = { ...someOperation, createdAt: old };
    await table().write(create({ ...keys.operationLog(sequence), type: "operation-log", sequence, ...before }));
    await table().add(logCounts, 1);
  }
  await addOperations(90, (at) => record(at, old));
  await addOperations(60, (at) => record(at, fresh));
});

afterAll(() => slipway.close());

describe("what is older than the log is kept", () => {
  test("is removed by the reconciler, and what is left is listed with the right totals", async () => {
    await slipway.runtime.reconcile();
    // Not `total`: a page read in the middle of the removal is shorter than the total read before it.
    const left = async () => (await listOperations(slipway, "searchType=all&perPage=1&page=1")).json.total;
    await waitFor("the old records to be removed", async () => (await left()) === 60);
    expect(await total("searchType=all")).toBe(60);
    expect(await total("searchType=user&username=Ada")).toBe(30);
    expect(await total("searchType=project&projectKey=shop")).toBe(20);
    expect(await total("searchType=function&function=Label")).toBe(30);
    expect(await total("searchType=status&status=403")).toBe(12);
    const ofEnvironment = "projectKey=shop&envName=dev&searchType=all&perPage=7&page=2";
    const { json } = await listEnvironment(slipway, ofEnvironment);
    expect([json.total, json.operation_logs.length]).toEqual([10, 3]);
  });

  test("leaves an anchor, so that the rest is still verified", async () => {
    expect(await readAnchor("shop")).toMatchObject({ sequence: 30, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await verifyOperations()).toMatchObject({ records: 60, chains: 3, beforeChains: 0, findings: [] });
    const raw = rawItems;
    try {
      const items = await raw.all();
      const places = items.filter(({ type }) => type === "operation-places");
      expect(places).toHaveLength(60);
      const first = items.find(({ type, chainSequence }) => type === "operation-log" && chainSequence === 31);
      await raw.remove(first ?? { pk: "", sk: "" });
      expect((await verifyOperations()).findings).toMatchObject([{ chainSequence: 31, what: "was removed" }]);
      await raw.put(first ?? { pk: "", sk: "" });
    } finally {
    }
  });

  test("stays behind what is kept: records go from the beginning of the log", async () => {
    await addOperations(20, (at) => record(at, old));
    await retainOperations();
    expect(await total("searchType=all")).toBe(80);
  });

  test("is removed once by two removals at the same moment, while others write", async () => {
    const raw = rawItems;
    try {
      // From here on everything in the log is old.
      for (const item of (await raw.all()).filter(({ type }) => type === "operation-log"))
        await raw.put({ ...item, summary: { ...(item.summary as object), createdAt: old } });
    } finally {
    }
    const writing = Promise.all(Array.from({ length: 10 }, (_, at) => appendOperation(record(at, nowSeconds()))));
    await Promise.all([retainOperations(), retainOperations(), retainOperations()]);
    await writing;
    await retainOperations();
    expect(await total("searchType=all")).toBe(10);
    expect(await total("searchType=user&username=Ada")).toBe(5);
    expect(await total("searchType=project&projectKey=shop")).toBe(3);
    await sealOperations();
    expect((await verifyOperations()).findings).toEqual([]);
  });
});
