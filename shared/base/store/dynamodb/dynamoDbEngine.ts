import { DynamoDBClient, type TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { isThrottling } from "../../errors/serviceTrouble.ts";
import { type Attributes, type Page, type Refused, type Search, StoreBusy, type TableEngine } from "../engine.ts";
import type { Key } from "../keys/keys.ts";
import { areStoreCallsCounted } from "../storeCalls.ts";
import { tableDefinition } from "../tableDefinition.ts";
import type { Update, Write } from "../writes.ts";
import { conditionExpression, Placeholders, updateExpression } from "./expressions.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Where the table is: of this account and region, or at an endpoint that takes any credentials. */
export interface TablePlace {
  tableName: string;
  endpoint?: string;
  region?: string;
}

/** The table in DynamoDB, by the SDK. */
export class DynamoDbEngine implements TableEngine {
  readonly #tableName: string;
  readonly #documents: DynamoDBDocumentClient;

  constructor({ tableName, endpoint, region }: TablePlace) {
    this.#tableName = tableName;
    const client = new DynamoDBClient({
      ...(endpoint !== undefined && { endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
      ...(region !== undefined && { region }),
    });
    // It would walk through every item of every answer for a log that no one reads.
    client.middlewareStack.remove("loggerMiddleware");
    // Outside of the SDK's own tries, which know no cancelled transaction.
    client.middlewareStack.add((next) => (request) => next(request).catch(saidAsBusy), { step: "initialize" });
    this.#documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  }

  async get(key: Key, consistent: boolean) {
    const answer = await this.#documents.send(
      new GetCommand({ ...this.#request(), Key: { pk: key.pk, sk: key.sk }, ConsistentRead: consistent }),
    );
    return { item: answer.Item, units: answer.ConsumedCapacity?.CapacityUnits ?? 0 };
  }

  async getBatch(keys: readonly Key[], consistent: boolean) {
    const tableName = this.#tableName;
    const Keys = keys.map(({ pk, sk }) => ({ pk, sk }));
    const answer = await this.#documents.send(
      new BatchGetCommand({
        RequestItems: { [tableName]: { Keys, ConsistentRead: consistent } },
        ReturnConsumedCapacity: askedCapacity(),
      }),
    );
    return {
      items: answer.Responses?.[tableName] ?? [],
      pending: (answer.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[],
      units: answer.ConsumedCapacity?.[0]?.CapacityUnits ?? 0,
    };
  }

  async queryPage(search: Search, from: Attributes | undefined): Promise<Page> {
    const answer = await this.#documents.send(
      new QueryCommand({
        ...this.#request(),
        ...keyCondition(search),
        ScanIndexForward: !(search.descending ?? false),
        ConsistentRead: search.consistent,
        Limit: search.limit,
        ExclusiveStartKey: from,
        ...(search.index !== undefined && { IndexName: search.index }),
      }),
    );
    const { Items: items = [], LastEvaluatedKey: next, ConsumedCapacity: consumed } = answer;
    return { items, units: consumed?.CapacityUnits ?? 0, ...(next !== undefined && { next }) };
  }

  async transact(writes: readonly Write[]) {
    const TransactItems = writes.map((write) => transactItem(this.#tableName, write));
    const command = new TransactWriteCommand({ TransactItems, ReturnConsumedCapacity: askedCapacity() });
    try {
      const answer = await this.#documents.send(command);
      return { units: answer.ConsumedCapacity?.[0]?.CapacityUnits ?? 0 };
    } catch (error) {
      return refusedBy(error);
    }
  }

  async update(write: Update, answersItem: boolean) {
    const { Update: update } = transactItem(this.#tableName, write);
    if (update === undefined) throw new Error("an update became something else");
    const command = new UpdateCommand({
      ...update,
      ...(answersItem && { ReturnValues: "ALL_NEW" }),
      ReturnConsumedCapacity: askedCapacity(),
    });
    try {
      const answer = await this.#documents.send(command);
      return { item: answer.Attributes, units: answer.ConsumedCapacity?.CapacityUnits ?? 0 };
    } catch (error) {
      return refusedBy(error);
    }
  }

  #request() {
    return { TableName: this.#tableName, ReturnConsumedCapacity: askedCapacity() };
  }
}

/** DynamoDB returns what a call cost only where it is counted. */
function askedCapacity(): "TOTAL" | undefined {
  return areStoreCallsCounted() ? "TOTAL" : undefined;
}

/** @throws StoreBusy for what a throttled table refused; a condition that did not hold counts all the same */
function saidAsBusy(error: unknown): never {
  if (!isThrottling(error) || codesOf(error).includes("ConditionalCheckFailed")) throw error;
  throw new StoreBusy("the table is throttled", { cause: error });
}

/** Why each write of a transaction was cancelled; empty for any other error. */
function codesOf(error: unknown): (string | undefined)[] {
  return ((error as TransactionCanceledException).CancellationReasons ?? []).map(({ Code }) => Code);
}

function refusedBy(error: unknown): Refused {
  const name = error instanceof Error ? error.name : "";
  if (name === "ConditionalCheckFailedException") return { failed: [0] };
  if (name === "TransactionConflictException") return { contended: true };
  if (name !== "TransactionCanceledException") throw error;
  const reasons = codesOf(error);
  const failed = reasons.flatMap((code, position) => (code === "ConditionalCheckFailed" ? [position] : []));
  if (failed.length > 0) return { failed };
  if (reasons.includes("TransactionConflict")) return { contended: true };
  throw error;
}

function keyCondition({ pk, index, prefix, between }: Search): Partial<QueryCommandInput> {
  const { partitionKey, sortKey } = tableDefinition.indexes.find(({ name }) => name === index) ?? tableDefinition;
  const placeholders = new Placeholders();
  const conditions = [`${placeholders.name(partitionKey)} = ${placeholders.value(pk)}`];
  if (prefix !== undefined)
    conditions.push(`begins_with(${placeholders.name(sortKey)}, ${placeholders.value(prefix)})`);
  else if (between !== undefined) {
    const [from, to] = between.map((bound) => placeholders.value(bound));
    conditions.push(`${placeholders.name(sortKey)} BETWEEN ${from} AND ${to}`);
  }
  return { KeyConditionExpression: conditions.join(" AND "), ...placeholders.fields() };
}

function transactItem(TableName: string, write: Write): TransactItem {
  const placeholders = new Placeholders();
  const condition = write.condition && { ConditionExpression: conditionExpression(write.condition, placeholders) };
  switch (write.kind) {
    case "put":
      return { Put: { TableName, Item: write.item, ...condition, ...placeholders.fields() } };
    case "remove":
      return { Delete: { TableName, Key: write.key, ...condition, ...placeholders.fields() } };
    case "check":
      return {
        ConditionCheck: { TableName, Key: write.key, ConditionExpression: "", ...condition, ...placeholders.fields() },
      };
    case "update": {
      const UpdateExpression = updateExpression(write.changes, placeholders);
      return { Update: { TableName, Key: write.key, UpdateExpression, ...condition, ...placeholders.fields() } };
    }
  }
}
