import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedTable, startTable } from "../../../../infra/local/table/startTable.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { conflictedOn, conflictedOnlyOn, TableClient } from "../../../../shared/base/store/tableClient.ts";
import { check, create, named, remove } from "../../../../shared/base/store/writes.ts";
import { givenTable } from "../../../harness/givenTable.ts";
import { refusedRequests } from "./engines/requests.ts";

/** What DynamoDB Local takes although Amazon's documentation says that DynamoDB does not. */
const takenByDynamoDbLocal: readonly string[] = [
  "an update to a sort key of an index of 1025 bytes",
  "an update to a number as key of an index",
  "a search for a partition key of 2049 bytes",
];

const dataDir = mkdtempSync(join(tmpdir(), "slipway-engines-"));
const given = givenTable(dataDir);
const engines = ["SQLite", ...(given.endpoint === undefined ? [] : (["DynamoDB"] as const))] as const;
const started = new Map<string, StartedTable>();
let client: DynamoDBClient;

beforeAll(async () => {
  started.set("SQLite", await startTable({ dataDir, tableName: "slipway" }));
  if (given.endpoint === undefined) return;
  started.set("DynamoDB", await startTable({ dataDir, ...given }));
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  client = new DynamoDBClient({ endpoint: given.endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
});

afterAll(async () => {
  client?.destroy();
  await given.remove();
  for (const { close } of started.values()) close();
  rmSync(dataDir, { recursive: true, force: true });
});

function tableOf(engine: string): TableClient {
  const found = started.get(engine);
  if (found === undefined) throw new Error(`${engine} was not started`);
  return new TableClient(found.engine);
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
  test.skipIf(given.endpoint === undefined)("is refused by DynamoDB", async () => {
    const isRefused = (await refusal(raw(client, given.tableName))) !== undefined;
    expect(isRefused).toBe(!takenByDynamoDbLocal.includes(name));
  });

  test.skipIf(stored === undefined).each(engines)("never comes through the table of %s", async (engine) => {
    expect(await refusal(Promise.resolve().then(() => stored?.(tableOf(engine))))).toBeDefined();
  });
});

describe.each(engines)("in %s a lost transaction", (engine) => {
  const store = () => tableOf(engine);
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
    expect((["workflow", "project", "task"] as const).filter((name) => conflictedOn(error, name))).toEqual([
      "workflow",
    ]);
    expect(conflictedOnlyOn(error, "workflow")).toBe(false);
    expect(await store().get(key("free"))).toBeUndefined();
  });

  test("names a write that stands alone, and several of one name", async () => {
    const alone = await thrownBy(store().write(named("task", made("taken"))));
    expect(alone).toMatchObject({ failed: ["task"] });
    const gone = ["gone", "missing"].map((sk) => named("task", check(key(sk), mustExist)));
    const both = await thrownBy(store().write(made("free"), ...gone));
    expect(both).toMatchObject({ failed: ["task", "task"] });
    expect([alone, both].map((error) => conflictedOnlyOn(error, "task"))).toEqual([true, true]);
    expect([conflictedOn(new Error("task"), "task"), conflictedOnlyOn(undefined, "task")]).toEqual([false, false]);
  });

  test("leaves no name in what was stored", async () => {
    expect(await store().get(key("project"))).toEqual({ ...key("project"), type: "named", version: 1 });
  });
});
