import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../../infra/local/database.ts";
import { hasLost, hasLostOnly, Table } from "../../../shared/store/table.ts";
import { check, create, mustExist, named, remove } from "../../../shared/store/writes.ts";
import { givenTable } from "../../harness/givenTable.ts";
import { refusedRequests } from "./engines/requests.ts";

/** What the embedded engine takes although DynamoDB does not: the store must refuse it before any engine is asked. */
const takenByTheEmbedded: readonly string[] = [
  "an update of the partition key",
  "an update of the sort key",
  "an update that sets what it adds to",
  "an update of nothing",
  "IN with 101 operands",
  "an expression of more than 300 operators",
  "a partition key of an index of 2049 bytes",
  "a sort key of an index of 1025 bytes",
  "an update to a sort key of an index of 1025 bytes",
  "an empty attribute name",
  "a search in an empty partition key",
  "a search for a partition key of 2049 bytes",
  "a search for an empty beginning",
  "a search for a beginning of 1025 bytes",
];

/** What DynamoDB Local takes although Amazon's documentation says that DynamoDB does not. */
const takenByDynamoDbLocal: readonly string[] = [
  "an update to a sort key of an index of 1025 bytes",
  "an update to a number as key of an index",
  "a search for a partition key of 2049 bytes",
];

const region = "us-east-1";
const dataDir = mkdtempSync(join(tmpdir(), "slipway-engines-"));
const given = givenTable(dataDir);
const tableName = "engines";
let embedded: Database;
let clients: { embedded: DynamoDBClient; given?: DynamoDBClient };
let table: Table;

beforeAll(async () => {
  embedded = await startDatabase({ dataDir, tableName });
  clients = { embedded: clientOf(embedded.endpoint) };
  table = new Table({ tableName, endpoint: embedded.endpoint, region });
  if (given.endpoint === undefined) return;
  await startDatabase({ dataDir, ...given });
  clients.given = clientOf(given.endpoint);
});

afterAll(async () => {
  for (const client of Object.values(clients)) client.destroy();
  await given.remove();
  await embedded.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 });
}

/** Validation is meant; a condition that does not hold is an answer like any other. */
async function refusal(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    const text = `${error} ${JSON.stringify(Reflect.get(error as object, "CancellationReasons") ?? "")}`;
    return /ConditionalCheckFailed|ConditionFailed/.test(text) ? undefined : text;
  }
}

describe.each(refusedRequests)("$name", ({ name, raw, stored }) => {
  test("is refused by the embedded engine, or known to be taken", async () => {
    const isRefused = (await refusal(raw(clients.embedded, tableName))) !== undefined;
    expect(isRefused).toBe(!takenByTheEmbedded.includes(name));
  });

  test.skipIf(given.endpoint === undefined)("is refused by DynamoDB", async () => {
    const isRefused = (await refusal(raw(clients.given as DynamoDBClient, given.tableName))) !== undefined;
    expect(isRefused).toBe(!takenByDynamoDbLocal.includes(name));
  });

  test.skipIf(stored === undefined)("never comes through the store", async () => {
    expect(await refusal(Promise.resolve().then(() => stored?.(table)))).toBeDefined();
  });
});

const engines = ["embedded", ...(given.endpoint === undefined ? [] : (["given"] as const))] as const;

describe.each(engines)("on the %s engine a lost transaction", (engine) => {
  const store = () => (engine === "embedded" ? table : new Table({ ...given, region }));
  const key = (sk: string) => ({ pk: "named", sk });
  const made = (sk: string) => create({ ...key(sk), type: "named" });
  const thrownBy = (work: Promise<void>) => work.catch((error: unknown) => error);

  beforeAll(() => store().write(named("project", made("project")), made("taken")));

  test("names exactly those of its writes that lost, wherever they stand, and writes nothing", async () => {
    const error = await thrownBy(
      store().write(
        named("task", made("free")),
        named("project name", made("taken")),
        named("project", check(key("project"), mustExist)),
        remove(key("missing"), mustExist),
        named("workflow", check(key("gone"), mustExist)),
      ),
    );
    expect(error).toMatchObject({ failed: ["project name", "", "workflow"] });
    expect(String(error)).toBe("ConditionFailed: condition of write project name, 3, workflow failed");
    expect((["workflow", "project", "task"] as const).filter((name) => hasLost(error, name))).toEqual(["workflow"]);
    expect(hasLostOnly(error, "workflow")).toBe(false);
    expect(await store().get(key("free"))).toBeUndefined();
  });

  test("names a write that stands alone, and several of one name", async () => {
    const alone = await thrownBy(store().write(named("task", made("taken"))));
    expect(alone).toMatchObject({ failed: ["task"] });
    const gone = ["gone", "missing"].map((sk) => named("task", check(key(sk), mustExist)));
    const both = await thrownBy(store().write(made("free"), ...gone));
    expect(both).toMatchObject({ failed: ["task", "task"] });
    expect([alone, both].map((error) => hasLostOnly(error, "task"))).toEqual([true, true]);
    expect([hasLost(new Error("task"), "task"), hasLostOnly(undefined, "task")]).toEqual([false, false]);
  });

  test("leaves no name in what was stored", async () => {
    expect(await store().get(key("project"))).toEqual({ ...key("project"), type: "named", version: 1 });
  });
});
