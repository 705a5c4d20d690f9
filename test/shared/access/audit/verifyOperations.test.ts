import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { appendOperation } from "../../../../shared/access/audit/store/append.ts";
import { logCounts, takePlaces } from "../../../../shared/access/audit/store/counts.ts";
import { operationsBehind } from "../../../../shared/access/audit/store/inOrder.ts";
import {
  operationItems,
  recordOf,
  type StoredOperation,
} from "../../../../shared/access/audit/store/operationItems.ts";
import { startOperation } from "../../../../shared/access/audit/store/pending.ts";
import { hashOf } from "../../../../shared/access/audit/store/seal.ts";
import { verifyOperations } from "../../../../shared/access/audit/verifyOperations.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { padded } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { addOperations, someOperation } from "../../../harness/operations.ts";
import { type RawItem, type RawItems, rawItems } from "../../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const projects = ["", "shop", "web"];
const origin = { tokenId: "0123456789abcdef01234567", tokenName: "ci", requestId: "r", address: "::1", agent: "curl" };
let slipway: Slipway;
let raw: RawItems;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  slipway = await startSlipway();
  raw = rawItems;
  const old = { ...someOperation, type: "operation-log", version: 1 };
  for (const sequence of [1, 2]) {
    await raw.put({ pk: "operation-log", sk: padded(sequence), sequence, ...old });
    await table().add(logCounts, 1);
  }
  // A third of the way on, a version that knows where requests come from takes the log over.
  await addOperations(300, (at) => ({
    ...someOperation,
    projectKey: projects[at % 3] ?? "",
    detail: `record ${at}`,
    ...(at >= 30 && { origin }),
  }));
});

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

afterAll(async () => {
  await slipway.close();
});

/** The record that stands at a place of a chain, and how to leave everything as it was. */
async function itemAt(chain: string, place: number): Promise<RawItem & StoredOperation> {
  const records = await operationsBehind("", 1000, { consistent: true });
  const found = records.find(({ seal }) => seal?.chain === chain && seal.chainSequence === place);
  const item = await raw.get({ pk: "operation-log", sk: found?.key ?? "" });
  if (item === undefined) throw new Error(`nothing stands at ${place} of ${chain}`);
  return item as RawItem & StoredOperation;
}

async function put(item: RawItem): Promise<void> {
  const before = await raw.get(item);
  undo.push(() => (before === undefined ? raw.remove(item) : raw.put(before)));
  await raw.put(item);
}

async function remove(item: RawItem): Promise<void> {
  undo.push(() => raw.put(item));
  await raw.remove(item);
}

/** As if the last number had not been given out. */
async function uncount(): Promise<void> {
  await table().addTo(logCounts, { value: -1, indexed: -1 });
}

async function firstBad() {
  return (await verifyOperations()).findings.map(({ project, chainSequence, what }) => [project, chainSequence, what]);
}

describe("the operation log", () => {
  test("passes as it was written, with records of before and some that wait for their seal", async () => {
    const [item, places] = operationItems({ ...someOperation, projectKey: "web" }, await takePlaces(someOperation));
    await table().write(create(item), create(places));
    undo.push(() => raw.remove(item), uncount);
    const verified = await verifyOperations();
    const fine = { findings: [], problems: [] };
    expect(verified).toMatchObject({ records: 303, chains: 3, beforeChains: 2, waiting: 1, ...fine });
  });

  test("fails where numbers were given to records that are not there", async () => {
    const { sequence } = await takePlaces(someOperation);
    undo.push(uncount);
    expect((await verifyOperations()).problems).toEqual([`1 numbers of the whole log have no record: ${sequence}`]);
  });

  test("fails where a request has had no record for more than ten minutes", async () => {
    const now = nowSeconds();
    const young = await startOperation({ ...someOperation, createdAt: now - 590 });
    undo.push(() => raw.remove(young));
    expect((await verifyOperations()).problems).toEqual([]);
    const old = await startOperation({ ...someOperation, createdAt: now - 610 });
    undo.push(() => raw.remove(old));
    const [problem, ...others] = (await verifyOperations()).problems;
    expect(problem).toMatch(/^a request of \S+Z \(Update Project Management - Service\) has had no record for more/);
    expect(others).toEqual([]);
  });

  const fields = {
    username: "Somebody else",
    method: "Delete",
    detail: "nothing",
    requestBody: "",
    status: 403,
    createdAt: 1,
    targets: ["prod"],
    scene: "environment",
    bodyType: "",
    function: "User",
    origin: { ...origin, tokenName: "another" },
  };
  test.each(Object.entries(fields))("fails where %s of a record was changed", async (field, value) => {
    const item = await itemAt("shop", 17);
    await put({ ...item, summary: { ...recordOf(item), [field]: value } });
    expect(await firstBad()).toEqual([["shop", 17, "was changed"]]);
  });

  test("fails where a record lost its origin, and where one got an origin that had none", async () => {
    const { origin: _, ...without } = recordOf(await itemAt("shop", 17));
    await put({ ...(await itemAt("shop", 17)), summary: without });
    expect(await firstBad()).toEqual([["shop", 17, "was changed"]]);
    const older = await itemAt("shop", 3);
    expect(recordOf(older).origin).toBeUndefined();
    await put({ ...older, summary: { ...recordOf(older), origin } });
    expect(await firstBad()).toEqual([["shop", 3, "was changed"]]);
  });

  test("hashes a record without an origin as versions did that knew of none", () => {
    expect(hashOf({ chain: "many", chainSequence: 1, previousHash: "" }, 1, someOperation)).toBe(
      "713b9811efae3b6a1b1582199badba7f1c3af1f7159d493b85266e9d4f68e11b",
    );
  });

  test("fails where a record was changed together with its hash", async () => {
    for (const place of [17, 100]) {
      const item = await itemAt("shop", place);
      const record = { ...recordOf(item), detail: "nothing" };
      const seal = { chain: "shop", chainSequence: place, previousHash: item.previousHash ?? "" };
      await put({ ...item, summary: record, hash: hashOf(seal, item.sequence, record) });
      expect(await firstBad()).toEqual([["shop", place, "was changed"]]);
      for (const step of undo.splice(0)) await step();
    }
  });

  test.each([1, 50, 100])("fails where record %i was removed", async (place) => {
    await remove(await itemAt("web", place));
    expect(await firstBad()).toEqual([["web", place, "was removed"]]);
  });

  test("fails where a record was inserted, whatever it says of itself", async () => {
    const copied = await itemAt("*", 40);
    await put({ ...copied, sk: `${copied.sk}x` });
    expect(await firstBad()).toEqual([["", 40, "was inserted"]]);
    for (const step of undo.splice(0)) await step();

    const { hash: _, duePk: __, ...bare } = { ...copied, sk: padded(900), sequence: 900 };
    await put(bare);
    expect((await firstBad())[0]?.[2]).toContain("was inserted");
    for (const step of undo.splice(0)) await step();

    const record = recordOf(copied);
    const twice = { chain: "*", chainSequence: 40, previousHash: copied.previousHash ?? "" };
    await put({ ...copied, sk: padded(901), sequence: 901, hash: hashOf(twice, 901, record) });
    expect(await firstBad()).toEqual([["", 40, "was inserted: its place is taken"]]);
    for (const step of undo.splice(0)) await step();

    const end = await itemAt("*", 100);
    const behind = { chain: "*", chainSequence: 101, previousHash: end.hash ?? "" };
    await put({ ...copied, sk: padded(902), sequence: 902, ...behind, hash: hashOf(behind, 902, record) });
    expect(await firstBad()).toEqual([["", 101, "was inserted: the chain ends before it"]]);
  });

  test("tells the first bad record of every project", async () => {
    for (const [chain, place] of [
      ["web", 20],
      ["web", 10],
      ["shop", 30],
    ] as const)
      await remove(await itemAt(chain, place));
    expect(await firstBad()).toEqual([
      ["shop", 30, "was removed"],
      ["web", 10, "was removed"],
    ]);
  });

  test("can be verified while it is written", async () => {
    let stop = false;
    const writing = Promise.all(
      ["shop", "other"].map(async (projectKey) => {
        for (let at = 0; at < 500 && !stop; at++) await appendOperation({ ...someOperation, projectKey });
      }),
    );
    for (let looks = 0; looks < 5; looks++) expect((await verifyOperations()).findings).toEqual([]);
    stop = true;
    await writing;
    expect((await verifyOperations()).findings).toEqual([]);
  });
});

describe("npm run audit:verify", () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const run = async (...options: string[]) => {
    const command = [`${root}infra/local/verifyAudit.ts`, ...options];
    const env = { ...process.env, SLIPWAY_DATA_DIR: slipway.dataDir };
    try {
      const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/node`, command, { cwd: root, env });
      return { code: 0, stdout, stderr: "" };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  };

  test("finds the table of a Slipway that runs, and passes", async () => {
    const { code, stdout } = await run();
    expect(stdout).toMatch(/^\d+ records in \d chains are as they were written\n2 of them are older/);
    expect(code).toBe(0);
  });

  test("names project and record and ends with 1 where one was edited", async () => {
    const item = await itemAt("shop", 17);
    await put({ ...item, summary: { ...recordOf(item), detail: "nothing" } });
    const { code, stderr } = await run();
    expect(stderr).toBe(`record 17 of project shop (${item.sequence} in the whole log) was changed\n`);
    expect(code).toBe(1);
  });

  test("ends with 2 where it cannot look", async () => {
    const { code, stderr } = await run("--endpoint", "http://127.0.0.1:9", "--table", "slipway");
    expect(code).toBe(2);
    expect(stderr).toContain("usage: npm run audit:verify");
    expect((await run("--nonsense")).code).toBe(2);
  });
});
