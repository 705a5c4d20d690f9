import { afterAll, beforeAll, expect, test } from "vitest";
import { appendOperation } from "../../../../shared/access/audit/store/append.ts";
import { takePlaces } from "../../../../shared/access/audit/store/counts.ts";
import { operationItems } from "../../../../shared/access/audit/store/operationItems.ts";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create, update } from "../../../../shared/base/store/writes.ts";
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
    ...{ token_id: "", token_name: "", request_id: "", address: "", agent: "" },
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

test("what each of two tokens of one user did can be told apart, also of one that does not carry its name", async () => {
  const { uid, token: session } = await newPerson("two-tokens");
  const made = [];
  for (const name of ["agent-1", "agent-2"]) {
    const answer = await slipway.call<{ id: string; token: string }>("POST", `/openapi/users/${uid}/tokens`, {
      token: session,
      body: { name },
    });
    expect(answer.status, answer.text).toBe(200);
    made.push({ name, ...answer.json });
  }
  const older = made[1]?.token ?? "";
  await table().write(update(keys.token(hashToken(older)), { unset: ["tokenName"] }, mustExist));
  const path = `/api/v1/users/${uid}/personal`;
  const requests: (string | null)[] = [];
  for (const token of [...made.map(({ token }) => token), session]) {
    const headers = { "user-agent": "x".repeat(300) };
    const answer = await slipway.call("PUT", path, { token, body: { name: "Renamed" }, headers });
    expect(answer.status, answer.text).toBe(200);
    requests.push(answer.headers.get("x-request-id"));
  }
  const said = { username: "two-tokens", address: "127.0.0.1", agent: "x".repeat(200) };
  const wanted = [
    { ...said, token_id: made[0]?.id, token_name: "agent-1", request_id: requests[0] },
    { ...said, username: "Renamed", token_id: made[1]?.id, token_name: "agent-2", request_id: requests[1] },
    { ...said, username: "Renamed", token_id: "", token_name: "", request_id: requests[2] },
  ];
  const { json } = await slipway.call<{ operation_logs: object[]; total: number }>(
    "GET",
    "/openapi/system/operation?searchType=all&perPage=3",
  );
  expect(json.operation_logs.toReversed()).toMatchObject(wanted);
  const { records } = await read(`after=${json.total - 3}`);
  expect(records).toMatchObject(wanted);
});
