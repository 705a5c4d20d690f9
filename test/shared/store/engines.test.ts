import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../../infra/local/database.ts";
import { Table } from "../../../shared/store/table.ts";
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
