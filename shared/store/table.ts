import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { documentClient } from "./documentClient.ts";
import type { Key } from "./keys.ts";
import { refuseAttributes, refuseRepeats, refuseSearch } from "./refusals.ts";
import { areStoreCallsCounted, reportStoreCall, type StoreCall } from "./storeCalls.ts";
import { toTransactItem, type Write, type WriteName } from "./writes.ts";

/** What every stored item carries beside its own attributes. `ttl` is in Unix seconds. */
export interface StoredItem extends Key {
  type: string;
  version: number;
  ttl?: number;
}

export type Item<T> = StoredItem & T;

/** Generic indexes, named by the question they answer. `list` holds only the attribute `summary`. */
export type IndexName = "list" | "references" | "due";

const indexKeys: Record<IndexName, { pk: string; sk: string }> = {
  list: { pk: "listPk", sk: "listSk" },
  references: { pk: "refPk", sk: "refSk" },
  due: { pk: "duePk", sk: "dueSk" },
};

export interface QueryOptions {
  pk: string;
  index?: IndexName;
  prefix?: string;
  /** Inclusive bounds of the sort key. */
  between?: readonly [string, string];
  descending?: boolean;
  /** Most items read; without it the whole partition is read, page by page. */
  limit?: number;
  consistent?: boolean;
}

/** A transaction that lost: `failed` names the writes whose condition did not hold; "" is one without a name. */
export class ConditionFailed extends Error {
  readonly failed: readonly (WriteName | "")[];

  /** @param positions of those that lost among all writes of the transaction */
  constructor(writes: readonly Write[], positions: readonly number[]) {
    super(`condition of write ${positions.map((at) => writes[at]?.name ?? at).join(", ")} failed`);
    this.name = "ConditionFailed";
    this.failed = positions.map((at) => writes[at]?.name ?? "");
  }
}

/** Whether what a transaction threw says that its write of this name lost. */
export function hasLost(error: unknown, name: WriteName): boolean {
  return error instanceof ConditionFailed && error.failed.includes(name);
}

/** As `hasLost`, and that no other write lost. */
export function hasLostOnly(error: unknown, name: WriteName): boolean {
  return error instanceof ConditionFailed && error.failed.every((one) => one === name);
}

/** DynamoDB refused the transaction because another one touched the same items at the same moment; worth repeating. */
export class TransactionContended extends Error {
  constructor() {
    super("another transaction touched the same items");
    this.name = "TransactionContended";
  }
}

const maxBatchKeys = 100;
const maxAttempts = 7;

/** The single table. The only class that speaks DynamoDB; repositories stand on it. */
export class Table {
  readonly #documents: DynamoDBDocumentClient;
  readonly #name: string;

  constructor(options: { tableName: string; endpoint?: string; region?: string }) {
    this.#documents = documentClient(options);
    this.#name = options.tableName;
  }

  async get<T>(key: Key, options: { consistent?: boolean } = {}): Promise<Item<T> | undefined> {
    refuseAttributes(key);
    const answer = await this.#documents.send(
      new GetCommand({
        TableName: this.#name,
        Key: key,
        ConsistentRead: options.consistent ?? true,
        ReturnConsumedCapacity: askedCapacity(),
      }),
    );
    this.#report("get", answer.ConsumedCapacity?.CapacityUnits);
    return answer.Item as Item<T> | undefined;
  }

  /** Reads many items in one round trip per 100 keys. The answer has no order; absent items are left out. */
  async getMany<T>(keys: readonly Key[], options: { consistent?: boolean } = {}): Promise<Item<T>[]> {
    const items: Item<T>[] = [];
    for (const key of keys) refuseAttributes(key);
    for (let at = 0; at < keys.length; at += maxBatchKeys) {
      let pending: Record<string, unknown>[] = keys.slice(at, at + maxBatchKeys).map((key) => ({ ...key }));
      while (pending.length > 0) {
        const answer = await this.#documents.send(
          new BatchGetCommand({
            RequestItems: { [this.#name]: { Keys: pending, ConsistentRead: options.consistent ?? true } },
            ReturnConsumedCapacity: askedCapacity(),
          }),
        );
        this.#report("getMany", answer.ConsumedCapacity?.[0]?.CapacityUnits);
        items.push(...((answer.Responses?.[this.#name] ?? []) as Item<T>[]));
        pending = answer.UnprocessedKeys?.[this.#name]?.Keys ?? [];
      }
    }
    return items;
  }

  /** Items of one partition (of the table or of an index) in the order of the sort key. Index reads are never consistent. */
  async query<T>(options: QueryOptions): Promise<Item<T>[]> {
    const items: Item<T>[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const left = options.limit === undefined ? undefined : options.limit - items.length;
      const answer = await this.#documents.send(
        new QueryCommand({ ...this.#queryInput(options), Limit: left, ExclusiveStartKey: start }),
      );
      this.#report("query", answer.ConsumedCapacity?.CapacityUnits);
      items.push(...((answer.Items ?? []) as Item<T>[]));
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && (options.limit === undefined || items.length < options.limit));
    return items;
  }

  #queryInput(options: QueryOptions): QueryCommandInput {
    refuseSearch(options.pk, options.prefix === undefined ? (options.between ?? []) : [options.prefix]);
    const keys = options.index === undefined ? { pk: "pk", sk: "sk" } : indexKeys[options.index];
    const conditions = ["#pk = :pk"];
    const names: Record<string, string> = { "#pk": keys.pk };
    const values: Record<string, unknown> = { ":pk": options.pk };
    if (options.prefix !== undefined) {
      conditions.push("begins_with(#sk, :prefix)");
      names["#sk"] = keys.sk;
      values[":prefix"] = options.prefix;
    } else if (options.between !== undefined) {
      conditions.push("#sk BETWEEN :from AND :to");
      names["#sk"] = keys.sk;
      values[":from"] = options.between[0];
      values[":to"] = options.between[1];
    }
    return {
      TableName: this.#name,
      KeyConditionExpression: conditions.join(" AND "),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ScanIndexForward: !(options.descending ?? false),
      ConsistentRead: options.index === undefined ? (options.consistent ?? true) : false,
      ReturnConsumedCapacity: askedCapacity(),
      ...(options.index === undefined ? {} : { IndexName: options.index }),
    };
  }

  /**
   * All writes or none, every one with its condition (at most 100). What a concurrent transaction on the same items
   * made fail is tried again, with jitter.
   * @throws ConditionFailed with the names of those that lost; TransactionContended after the last try
   */
  async write(...writes: readonly Write[]): Promise<void> {
    await repeatContended(() => this.writeOnce(...writes));
  }

  /**
   * As `write`, but a transaction that another one disturbed is not tried again: for writes that must be made anew then.
   * @throws ConditionFailed with the names of those that lost; TransactionContended
   */
  async writeOnce(...writes: readonly Write[]): Promise<void> {
    try {
      const answer = await this.#documents.send(
        new TransactWriteCommand({
          TransactItems: writes.map((write) => toTransactItem(this.#name, write)),
          ReturnConsumedCapacity: askedCapacity(),
        }),
      );
      this.#report("write", answer.ConsumedCapacity?.[0]?.CapacityUnits);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw new ConditionFailed(writes, [0]);
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = (error.CancellationReasons ?? []).map((reason) => reason.Code);
      const failed = reasons.flatMap((code, position) => (code === "ConditionalCheckFailed" ? [position] : []));
      if (failed.length > 0) throw new ConditionFailed(writes, failed);
      if (reasons.includes("TransactionConflict")) throw new TransactionContended();
      throw error;
    }
  }

  /**
   * Changes one item outside of transactions: two at the same moment never contend, the second sees what the first left.
   * @returns whether the condition held
   */
  async updateOne(write: Extract<Write, { kind: "update" }>): Promise<boolean> {
    const { Update } = toTransactItem(this.#name, write);
    if (Update === undefined) throw new Error("an update became something else");
    try {
      const answer = await this.#documents.send(
        new UpdateCommand({ ...Update, ReturnConsumedCapacity: askedCapacity() }),
      );
      this.#report("write", answer.ConsumedCapacity?.CapacityUnits);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /**
   * Adds to a counter item and returns it; made at the first call with the attributes of `initial`. Two adds at the
   * same moment both count and never conflict; a transaction on the same item is waited for.
   */
  async add<T extends object = object>(
    key: Key,
    amount: number,
    initial: Readonly<Record<string, unknown>> = {},
  ): Promise<T & { value: number }> {
    return this.addTo<T & { value: number }>(key, { value: amount }, initial);
  }

  /** As `add`, for several numbers of one item at once. */
  async addTo<T extends object>(
    key: Key,
    amounts: Readonly<Record<string, number>>,
    initial: Readonly<Record<string, unknown>> = {},
  ): Promise<T> {
    const added = Object.entries(amounts);
    const given = Object.entries({ type: "counter", ...initial });
    refuseRepeats([...added, ...given].map(([name]) => name));
    const adds = added.map((_, at) => `#a${at} :a${at}`);
    const sets = given.map((_, at) => `#i${at} = if_not_exists(#i${at}, :i${at})`);
    const command = new UpdateCommand({
      TableName: this.#name,
      Key: key,
      UpdateExpression: `ADD ${adds.join(", ")} SET ${sets.join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries([
        ...added.map(([name], at) => [`#a${at}`, name]),
        ...given.map(([name], at) => [`#i${at}`, name]),
      ]),
      ExpressionAttributeValues: Object.fromEntries([
        ...added.map(([, amount], at) => [`:a${at}`, amount]),
        ...given.map(([, value], at) => [`:i${at}`, value]),
      ]),
      ReturnValues: "ALL_NEW",
      ReturnConsumedCapacity: askedCapacity(),
    });
    return repeatContended(async () => {
      const answer = await this.#documents.send(command).catch((error: unknown) => {
        throw error instanceof TransactionConflictException ? new TransactionContended() : error;
      });
      this.#report("add", answer.ConsumedCapacity?.CapacityUnits);
      return answer.Attributes as T;
    });
  }

  #report(kind: StoreCall["kind"], capacityUnits: number | undefined): void {
    reportStoreCall({ kind, capacityUnits: capacityUnits ?? 0 });
  }
}

/** What a call cost is told only to whoever counts: in everybody else's answer it would be read for nothing. */
function askedCapacity(): "TOTAL" | undefined {
  return areStoreCallsCounted() ? "TOTAL" : undefined;
}

/** Tries again, with jitter, what a transaction on the same items made fail. @throws TransactionContended after the last try */
async function repeatContended<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransactionContended) || attempt >= maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
    }
  }
}
