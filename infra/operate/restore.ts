import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  BatchWriteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import { describeFinding, verifyOperations } from "../../shared/access/audit/verifyOperations.ts";
import { createDynamoTable, expireItems } from "../dynamodb/createDynamoTable.ts";

const usage = `usage: npm run restore -- --from TABLE --to TABLE [--at TIME | --copy]
  --from TABLE   the table of the installation, which stays as it is
  --to TABLE     the name of a new table
  --at TIME      as it was then, in ISO 8601; without it as it was a few minutes ago (point-in-time recovery)
  --copy         item by item instead: from a table without point-in-time recovery, or to another engine
Credentials and region are those of the environment; AWS_ENDPOINT_URL_DYNAMODB names another engine.`;

/** What DynamoDB takes in one call (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html). */
const itemsABatch = 25;

/**
 * `npm run restore`: makes a table of another one, with all that a restore leaves out, and looks whether its operation log is
 * whole. Exit code 0 when it can be used; 1 when its log is not as it was written.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      to: { type: "string" },
      at: { type: "string" },
      copy: { type: "boolean", default: false },
    },
  });
  const { from, to, at, copy } = values;
  if (from === undefined || to === undefined) throw new Error("--from and --to are missing");
  if (at !== undefined && (copy || Number.isNaN(Date.parse(at))))
    throw new Error("--at takes a time, and not with --copy");
  const began = Date.now();
  const client = new DynamoDBClient();
  if (copy) await copyTable(client, from, to);
  else {
    const time = at === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: new Date(at) };
    await client.send(new RestoreTableToPointInTimeCommand({ SourceTableName: from, TargetTableName: to, ...time }));
    await untilActive(client, to);
  }
  await protect(client, to);
  process.env.SLIPWAY_TABLE = to;
  const { findings, problems, records } = await verifyOperations();
  for (const problem of [...findings.map(describeFinding), ...problems]) console.error(problem);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${to} is ready after ${seconds} s; its operation log holds ${records} records`);
  console.log(`put this into the context, and deploy: "data": ${JSON.stringify({ table: to })}`);
  return findings.length + problems.length > 0 ? 1 : 0;
}

async function copyTable(client: DynamoDBClient, from: string, to: string): Promise<void> {
  await createDynamoTable(client, to);
  await untilActive(client, to);
  let copied = 0;
  for await (const { Items = [] } of paginateScan({ client }, { TableName: from, ConsistentRead: true })) {
    for (let at = 0; at < Items.length; at += itemsABatch) {
      const batch = Items.slice(at, at + itemsABatch).map((Item): WriteRequest => ({ PutRequest: { Item } }));
      await putAll(client, to, batch);
      copied += batch.length;
    }
  }
  console.log(`${copied} items copied`);
}

/** DynamoDB leaves out what it has no room for at the moment. */
async function putAll(client: DynamoDBClient, table: string, batch: readonly WriteRequest[]): Promise<void> {
  let left = [...batch];
  for (let tries = 0; left.length > 0; tries++) {
    if (tries > 0) await sleep(Math.random() * Math.min(100 * 2 ** tries, 10_000));
    const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: left } }));
    left = UnprocessedItems?.[table] ?? [];
  }
}

async function untilActive(client: DynamoDBClient, TableName: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const indexes = Table?.GlobalSecondaryIndexes ?? [];
    if (Table?.TableStatus === "ACTIVE" && indexes.every(({ IndexStatus }) => IndexStatus === "ACTIVE")) return;
    await sleep(5_000);
  }
}

/**
 * Neither expiry, backups, protection nor tags come with a restored table
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pointintimerecovery_howitworks.html).
 */
async function protect(client: DynamoDBClient, TableName: string): Promise<void> {
  await expireItems(client, TableName);
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await whereKnown(
    "backups",
    client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification })),
  );
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const Tags = [{ Key: "application", Value: "slipway" }];
  await whereKnown("tags", client.send(new TagResourceCommand({ ResourceArn: Table?.TableArn, Tags })));
}

/** DynamoDB Local has neither backups nor tags. */
async function whereKnown(what: string, asked: Promise<unknown>): Promise<void> {
  await asked.catch((error: Error) => {
    if (error.name !== "UnknownOperationException") throw error;
    console.log(`this engine knows no ${what}: the table has none`);
  });
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isTaken = ["ResourceInUseException", "TableAlreadyExistsException"].includes(error.name);
  return isTaken ? `the table of --to already exists, choose another name (${error.message})` : error.message;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`${sentenceOf(error)}\n\n${usage}`);
    process.exit(2);
  },
);
