import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type UpdateItemInput,
} from "@aws-sdk/client-dynamodb";
import { either, equals, mustBeOneOf, mustExist } from "../../../../../shared/base/store/conditions.ts";
import type { TableClient } from "../../../../../shared/base/store/tableClient.ts";
import { overwrite, remove, update, type Write } from "../../../../../shared/base/store/writes.ts";

/** One request that DynamoDB refuses: as it is sent raw, and as the store would send it where it can say it at all. */
export interface RefusedRequest {
  name: string;
  raw(client: DynamoDBClient, tableName: string): Promise<unknown>;
  stored?(table: TableClient): Promise<unknown>;
}

type Attributes = NonNullable<UpdateItemInput["ExpressionAttributeValues"]>;

const text = (content: string) => ({ S: content });
const key = (pk: string, sk = "sk") => ({ pk: text(pk), sk: text(sk) });
const long = (length: number) => "x".repeat(length);

const put = (pk: string, more: Attributes = {}): TransactWriteItem => ({
  Put: { TableName: "", Item: { ...key(pk), ...more } },
});
const updateOf = (pk: string, UpdateExpression: string, more: object = {}): TransactWriteItem => ({
  Update: { TableName: "", Key: key(pk), UpdateExpression, ...more },
});

const transaction =
  (...items: TransactWriteItem[]) =>
  (client: DynamoDBClient, TableName: string) =>
    client.send(
      new TransactWriteItemsCommand({
        TransactItems: items.map(
          (item) =>
            Object.fromEntries(
              Object.entries(item).map(([kind, one]) => [kind, { ...one, TableName }]),
            ) as unknown as TransactWriteItem,
        ),
      }),
    );
const batchGet = (pks: readonly string[]) => (client: DynamoDBClient, tableName: string) =>
  client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: pks.map((pk) => key(pk)) } } }));
const get = (pk: string, sk: string) => (client: DynamoDBClient, TableName: string) =>
  client.send(new GetItemCommand({ TableName, Key: key(pk, sk) }));
const query =
  (KeyConditionExpression: string, values: Record<string, string>, more: object = {}) =>
  (client: DynamoDBClient, TableName: string) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression,
        ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, one]) => [name, text(one)])),
        ...more,
      }),
    );

const write =
  (...writes: Write[]) =>
  (table: TableClient) =>
    table.write(...writes);
const item = (pk: string, more: object = {}) => ({ pk, sk: "sk", type: "test", ...more });
const putting = (pk: string, more: Attributes & Record<string, unknown>, stored: Record<string, unknown>) => ({
  raw: transaction(put(pk, more)),
  stored: write(overwrite(item(pk, stored))),
});
const setting = (attribute: string, raw: Attributes[string], stored: unknown) => ({
  raw: transaction(
    updateOf("set", "SET #a = :a", {
      ExpressionAttributeNames: { "#a": attribute },
      ExpressionAttributeValues: { ":a": raw },
    }),
  ),
  stored: write(update({ pk: "set", sk: "sk" }, { set: { [attribute]: stored } })),
});
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `item-${at}`);
const nested = (depth: number): unknown => (depth === 0 ? "x" : { a: nested(depth - 1) });
const nestedRaw = (depth: number): Attributes[string] => (depth === 0 ? text("x") : { M: { a: nestedRaw(depth - 1) } });

export const refusedRequests: readonly RefusedRequest[] = [
  { name: "an update of the partition key", ...setting("pk", text("set"), "set") },
  { name: "an update of the sort key", ...setting("sk", text("sk"), "sk") },
  {
    name: "an update that sets what it adds to",
    raw: transaction(
      updateOf("twice", "SET #a = :a ADD #b :a", {
        ExpressionAttributeNames: { "#a": "version", "#b": "version" },
        ExpressionAttributeValues: { ":a": { N: "1" } },
      }),
    ),
    stored: write(update({ pk: "twice", sk: "sk" }, { set: { version: 1 } }, mustExist)),
  },
  {
    name: "IN with 101 operands",
    raw: transaction(
      updateOf("in", "SET #a = :v0", {
        ConditionExpression: `#a IN (${numbered(101)
          .map((_, at) => `:v${at}`)
          .join(", ")})`,
        ExpressionAttributeNames: { "#a": "a" },
        ExpressionAttributeValues: Object.fromEntries(numbered(101).map((one, at) => [`:v${at}`, text(one)])),
      }),
    ),
    stored: async (table) =>
      table.write(update({ pk: "in", sk: "sk" }, { set: { b: 1 } }, mustBeOneOf("a", numbered(101)))),
  },
  { name: "a partition key of 2049 bytes", ...putting(long(2049), {}, {}) },
  {
    name: "a sort key of 1025 bytes",
    raw: transaction({ Put: { TableName: "", Item: key("long", long(1025)) } }),
    stored: write(overwrite({ pk: "long", sk: long(1025), type: "test" })),
  },
  {
    name: "a read of a sort key of 1025 bytes",
    raw: get("long", long(1025)),
    stored: (table) => table.get({ pk: "long", sk: long(1025) }),
  },
  { name: "an empty partition key", ...putting("", {}, {}) },
  {
    name: "an empty sort key",
    raw: transaction({ Put: { TableName: "", Item: key("empty", "") } }),
    stored: write(overwrite({ pk: "empty", sk: "", type: "test" })),
  },
  { name: "a read of an empty sort key", raw: get("empty", ""), stored: (table) => table.get({ pk: "empty", sk: "" }) },
  {
    name: "a partition key of an index of 2049 bytes",
    ...putting("index", { listPk: text(long(2049)), listSk: text("a") }, { listPk: long(2049), listSk: "a" }),
  },
  {
    name: "a sort key of an index of 1025 bytes",
    ...putting("index", { listPk: text("a"), listSk: text(long(1025)) }, { listPk: "a", listSk: long(1025) }),
  },
  {
    name: "an empty key of an index",
    ...putting("index", { refPk: text("a"), refSk: text("") }, { refPk: "a", refSk: "" }),
  },
  {
    name: "a number as key of an index",
    ...putting("index", { duePk: text("a"), dueSk: { N: "1" } }, { duePk: "a", dueSk: 1 }),
  },
  { name: "an update to a sort key of an index of 1025 bytes", ...setting("listSk", text(long(1025)), long(1025)) },
  { name: "an update to an empty key of an index", ...setting("duePk", text(""), "") },
  { name: "an update to a number as key of an index", ...setting("refSk", { N: "1" }, 1) },
  { name: "an empty set", ...putting("sets", { a: { SS: [] } }, { a: new Set() }) },
  { name: "an empty set in a map", ...putting("sets", { a: { M: { b: { SS: [] } } } }, { a: { b: new Set() } }) },
  { name: "a set with a member twice", raw: transaction(put("sets", { a: { SS: ["x", "x"] } })) },
  { name: "an update to an empty set", ...setting("a", { SS: [] }, new Set()) },
  {
    name: "an empty set added",
    raw: transaction(updateOf("sets", "ADD a :a", { ExpressionAttributeValues: { ":a": { SS: [] } } })),
    stored: write(update({ pk: "sets", sk: "sk" }, { add: { a: new Set<string>() } }, mustExist)),
  },
  { name: "an item of more than 400 KB", ...putting("large", { a: text(long(400 * 1024)) }, { a: long(400 * 1024) }) },
  { name: "an update of more than 400 KB", ...setting("a", text(long(400 * 1024)), long(400 * 1024)) },
  {
    name: "an item twice in a transaction",
    raw: transaction(put("same"), updateOf("same", "REMOVE a")),
    stored: write(overwrite(item("same")), remove({ pk: "same", sk: "sk" })),
  },
  {
    name: "101 writes in a transaction",
    raw: transaction(...numbered(101).map((one) => put(one))),
    stored: write(...numbered(101).map((one) => overwrite(item(one)))),
  },
  { name: "no write in a transaction", raw: transaction(), stored: write() },
  {
    name: "a transaction of more than 4 MB",
    raw: transaction(...numbered(12).map((one) => put(one, { a: text(long(380 * 1024)) }))),
    stored: write(...numbered(12).map((one) => overwrite(item(one, { a: long(380 * 1024) })))),
  },
  {
    name: "a key twice in a batch",
    raw: batchGet(["a", "a"]),
    stored: (table) =>
      table.getMany([
        { pk: "a", sk: "sk" },
        { pk: "a", sk: "sk" },
      ]),
  },
  { name: "101 keys in a batch", raw: batchGet(numbered(101)) },
  {
    name: "a name that the expression does not use",
    raw: transaction(updateOf("unused", "REMOVE a", { ExpressionAttributeNames: { "#b": "b" } })),
  },
  {
    name: "a value that the expression does not use",
    raw: transaction(updateOf("unused", "REMOVE a", { ExpressionAttributeValues: { ":b": text("b") } })),
  },
  {
    name: "a name that nobody gave",
    raw: transaction(updateOf("missing", "REMOVE #b")),
  },
  {
    name: "a value that nobody gave",
    raw: transaction(updateOf("missing", "SET a = :b")),
  },
  {
    name: "an expression of more than 4 KB",
    raw: transaction(
      updateOf(
        "text",
        `REMOVE ${numbered(1000)
          .map((_, at) => `#a${at}`)
          .join(", ")}`,
        {
          ExpressionAttributeNames: Object.fromEntries(numbered(1000).map((one, at) => [`#a${at}`, one])),
        },
      ),
    ),
    stored: write(update({ pk: "text", sk: "sk" }, { unset: numbered(1000) }, mustExist)),
  },
  {
    name: "an expression of more than 300 operators",
    raw: transaction(
      updateOf("text", "REMOVE a", {
        ConditionExpression: numbered(310)
          .map(() => "a=:a")
          .join(" OR "),
        ExpressionAttributeValues: { ":a": text("a") },
      }),
    ),
    stored: write(remove({ pk: "text", sk: "sk" }, either(...numbered(310).map(() => equals("a", "a"))))),
  },
  {
    name: "a number that is too large",
    raw: transaction(put("number", { a: { N: "1e126" } })),
    stored: write(overwrite(item("number", { a: 1e126 }))),
  },
  {
    name: "a number that is too small",
    raw: transaction(put("number", { a: { N: "1e-131" } })),
    stored: write(overwrite(item("number", { a: 1e-131 }))),
  },
  {
    name: "a number of 39 digits",
    raw: transaction(put("number", { a: { N: "1".repeat(39) } })),
    stored: write(overwrite(item("number", { a: BigInt("1".repeat(39)) }))),
  },
  {
    name: "infinity",
    raw: transaction(put("number", { a: { N: "Infinity" } })),
    stored: write(overwrite(item("number", { a: Number.POSITIVE_INFINITY }))),
  },
  {
    name: "no number",
    raw: transaction(put("number", { a: { N: "x" } })),
    stored: write(overwrite(item("number", { a: Number.NaN }))),
  },
  { name: "a value of more than 32 levels", ...putting("deep", { a: nestedRaw(33) }, { a: nested(33) }) },
  { name: "an empty attribute name", ...putting("name", { "": text("a") }, { "": "a" }) },
  {
    name: "a set of two types",
    raw: transaction(put("sets", { a: { SS: ["x"], NS: ["1"] } as never })),
    stored: write(overwrite(item("sets", { a: new Set<unknown>(["x", 1]) }))),
  },
  {
    name: "a search from after to before",
    raw: query("pk = :p AND sk BETWEEN :b AND :a", { ":p": "p", ":b": "b", ":a": "a" }),
    stored: (table) => table.query({ pk: "p", between: ["b", "a"] }),
  },
  {
    name: "a search in an empty partition key",
    raw: query("pk = :p", { ":p": "" }),
    stored: (table) => table.query({ pk: "" }),
  },
  {
    name: "a search for a partition key of 2049 bytes",
    raw: query("pk = :p", { ":p": long(2049) }),
    stored: (table) => table.query({ pk: long(2049) }),
  },
  {
    name: "a search for an empty beginning",
    raw: query("pk = :p AND begins_with(sk, :s)", { ":p": "p", ":s": "" }),
    stored: (table) => table.query({ pk: "p", prefix: "" }),
  },
  {
    name: "a search for a beginning of 1025 bytes",
    raw: query("pk = :p AND begins_with(sk, :s)", { ":p": "p", ":s": long(1025) }),
    stored: (table) => table.query({ pk: "p", prefix: long(1025) }),
  },
  {
    name: "a search that reads nothing",
    raw: query("pk = :p", { ":p": "p" }, { Limit: 0 }),
    stored: (table) => table.query({ pk: "p", limit: 0 }),
  },
  {
    name: "a consistent search of an index",
    raw: query("listPk = :p", { ":p": "p" }, { IndexName: "list", ConsistentRead: true }),
  },
  {
    name: "a number added to a text",
    raw: async (client, name) => {
      await transaction(put("text", { a: text("a") }))(client, name);
      await transaction(updateOf("text", "ADD a :n", { ExpressionAttributeValues: { ":n": { N: "1" } } }))(
        client,
        name,
      );
    },
    stored: async (table) => {
      await table.write(overwrite(item("text", { a: "a" })));
      await table.write(update({ pk: "text", sk: "sk" }, { add: { a: 1 } }));
    },
  },
  {
    name: "an update that grows an item over 400 KB",
    raw: async (client, name) => {
      await transaction(put("grow", { a: text(long(300 * 1024)) }))(client, name);
      await transaction(
        updateOf("grow", "SET b = :b", { ExpressionAttributeValues: { ":b": text(long(200 * 1024)) } }),
      )(client, name);
    },
    stored: async (table) => {
      await table.write(overwrite(item("grow", { a: long(300 * 1024) })));
      await table.write(update({ pk: "grow", sk: "sk" }, { set: { b: long(200 * 1024) } }));
    },
  },
  { name: "a reserved word", raw: transaction(updateOf("word", "REMOVE status")) },
  {
    name: "redundant parentheses",
    raw: transaction(
      updateOf("word", "REMOVE a", {
        ConditionExpression: "((a = :a))",
        ExpressionAttributeValues: { ":a": text("a") },
      }),
    ),
  },
  {
    name: "an update of nothing",
    raw: transaction(updateOf("nothing", "")),
    stored: write({ kind: "update", key: { pk: "nothing", sk: "sk" }, changes: { set: { a: undefined } } }),
  },
];
