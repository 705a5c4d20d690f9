import { afterAll, beforeAll, expect, test } from "vitest";
import { appendOperation } from "../../../../shared/audit/store/append.ts";
import { takePlaces } from "../../../../shared/audit/store/counts.ts";
import { operationItems } from "../../../../shared/audit/store/operationItems.ts";
import { nowSeconds } from "../../../../shared/store/ids.ts";
import { table } from "../../../../shared/store/theTable.ts";
import { create } from "../../../../shared/store/writes.ts";
import { addOperations, someOperation } from "../../../harness/operations.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";

const path = "/openapi/system/operation/export";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  await addOperations(25, (at) => ({ ...someOperation, detail: `record ${at}` }));
});

afterAll(() => slipway.close());

async function read(query: string) {
  const { status, text, headers } = await slipway.call("GET", `${path}?${query}`);
  expect(status, text).toBe(200);
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  const lines = text.split("\n");
  expect(lines.pop()).toBe("");
  const records = lines.map((line) => JSON.parse(line) as { sequence: number; detail: string });
  return { records, last: Number(headers.get("x-last-sequence")) };
}

test("every record is exported once, oldest first, with its seal", async () => {
  const found = [];
  for (let after = 0; ; ) {
    const { records, last } = await read(`after=${after}&limit=10`);
    expect(last).toBe(records.at(-1)?.sequence ?? after);
    if (records.length === 0) break;
    found.push(...records);
    after = last;
  }
  expect(found.map(({ detail }) => detail)).toEqual(Array.from({ length: 25 }, (_, at) => `record ${at}`));
  expect(found[7]).toEqual({
    sequence: 8,
    username: "admin",
    project_key: "many",
    method: "Update",
    function: "Project Management - Service",
    scene: "",
    targets: [],
    detail: "record 7",
    request_body: "{}",
    body_type: "json",
    status: 200,
    created_at: 1_700_000_000,
    chain: "many",
    chain_sequence: 8,
    previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("an answer stays within what a function may send, however large the records", async () => {
  const large = { ...someOperation, requestBody: "x".repeat(16_384), detail: "large" };
  await addOperations(200, () => large);
  const { records, last } = await read("after=25");
  expect(records.length).toBeGreaterThan(100);
  expect(records.length).toBeLessThan(130);
  const { records: more } = await read(`after=${last}`);
  expect(records.length + more.length).toBe(200);
});

test("a record that is still being written holds back those behind it", async () => {
  const slow = { ...someOperation, detail: "slow", createdAt: nowSeconds() };
  const places = await takePlaces(slow);
  await appendOperation({ ...slow, detail: "quick" });
  expect(await read("after=225")).toEqual({ records: [], last: 225 });
  await table().write(...operationItems(slow, places).map(create));
  const { records } = await read("after=225");
  expect(records).toMatchObject([
    { detail: "slow", chain: "", chain_sequence: 0, previous_hash: "", hash: "" },
    { detail: "quick", chain: "many" },
  ]);
});

test.each(["after=-1", "after=x", "limit=0", "limit=1001"])("%s is refused", async (query) => {
  const { extra } = expectError(await slipway.call("GET", `${path}?${query}`), 400, path);
  expect(extra.problems?.[0]).toMatchObject({ in: "query", path: query.split("=")[0] });
});

test("it is for those who may read the operation log", async () => {
  const { token } = await newPerson("reader");
  expect((await slipway.call("GET", path, { token })).status).toBe(403);
});
