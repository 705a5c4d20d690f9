import type { Condition } from "./conditions.ts";
import { conditionExpression, Placeholders, updateExpression } from "./dynamodb/expressions.ts";
import { attributeSize, itemSize, textSize } from "./itemSize.ts";
import type { Key } from "./keys/keys.ts";
import { tableDefinition } from "./tableDefinition.ts";
import type { Changes, Write } from "./writes.ts";

/**
 * What DynamoDB refuses whatever is stored. It is refused here, before any engine is asked, so that every engine refuses the
 * same in the same words. Limits: Amazon's "Quotas in Amazon DynamoDB" and "Constraints in Amazon DynamoDB".
 */

/** Names that a user gave make a key that no item can have. */
export class KeyTooLong extends Error {
  override readonly name = "KeyTooLong";
}

/** Most bytes of an item. */
export const maxItemBytes = 400 * 1024;

const maxBytes = { pk: 2048, sk: 1024, expression: 4096, transaction: 4 * 1024 * 1024 };
const maxWrites = 100;
const maxOperands = 100;
/** Comparisons and words between them in one condition. */
const maxOperators = 300;
/** Fewer attributes, values and operators than this never make an expression of 4 KB. */
const manyParts = 50;

/** Attributes that are keys of the table or of an index → most bytes. */
const keyAttributes: ReadonlyMap<string, number> = new Map(
  [tableDefinition, ...tableDefinition.indexes].flatMap(({ partitionKey, sortKey }) => [
    [partitionKey, maxBytes.pk],
    [sortKey, maxBytes.sk],
  ]),
);

/** @throws Error that says which of the writes of a transaction DynamoDB would not take, and why */
export function refuseTransaction(writes: readonly Write[]): void {
  if (writes.length === 0) throw new Error("a transaction has no write");
  if (writes.length > maxWrites)
    throw new Error(`a transaction has ${writes.length} writes; it has at most ${maxWrites}`);
  refuseRepeatedKeys(writes.map(keyOf));
  const bytes = writes.reduce((sum, write) => sum + refuseWrite(write), 0);
  if (bytes > maxBytes.transaction)
    throw new Error(`a transaction has ${bytes} bytes; it has at most ${maxBytes.transaction}`);
}

/** @returns bytes that the write brings. @throws Error that says what DynamoDB would not take */
export function refuseWrite(write: Write): number {
  if (write.condition !== undefined) refuseCondition(write.condition);
  if (write.kind === "put") return refuseItem(write.item);
  refuseKeys(write.key);
  return write.kind === "update" ? refuseChanges(write.changes) : 0;
}

/** @throws Error when an attribute has no name, is a key that none can be, or holds what cannot be stored */
function refuseItem(item: object): number {
  refuseKeyAttributes(item);
  const bytes = itemSize(item as Record<string, unknown>);
  refuseSize(bytes);
  return bytes;
}

/** @throws Error when an item of so many bytes is too large */
export function refuseSize(bytes: number): void {
  if (bytes > maxItemBytes) throw new Error(`an item has ${bytes} bytes; it has at most ${maxItemBytes}`);
}

function refuseChanges(changes: Changes): number {
  const { set = {}, initial = {}, unset = [], add = {}, takeFrom = {} } = changes;
  const valued = [set, initial, add, takeFrom].flatMap((attributes) =>
    Object.entries(attributes).filter(([, value]) => value !== undefined),
  );
  const names = [...valued.map(([name]) => name), ...unset];
  refuseRepeats(names);
  if (names.length > manyParts) refuseExpression(updateExpression(changes, new Placeholders()));
  refuseKeyAttributes(set);
  refuseKeyAttributes(initial);
  const bytes = valued.reduce((sum, [name, value]) => sum + attributeSize(name, value), 0);
  refuseSize(bytes);
  return bytes;
}

/** An update names a key of the table, or an attribute twice. @throws Error that names the attribute */
function refuseRepeats(attributes: readonly string[]): void {
  if (attributes.length === 0) throw new Error("an update changes nothing");
  const seen = new Set<string>();
  for (const attribute of attributes) {
    if (attribute === tableDefinition.partitionKey || attribute === tableDefinition.sortKey)
      throw new Error(`an update cannot change the key attribute ${attribute}`);
    if (seen.has(attribute)) throw new Error(`an update names the attribute ${attribute} twice`);
    seen.add(attribute);
  }
}

function refuseCondition(condition: Condition): void {
  const operators = countOperators(condition);
  if (operators > maxOperators)
    throw new Error(`a condition has ${operators} operators; it has at most ${maxOperators}`);
  if (operators > manyParts) refuseExpression(conditionExpression(condition, new Placeholders()));
}

function refuseExpression(text: string): void {
  const bytes = textSize(text);
  if (bytes > maxBytes.expression)
    throw new Error(`the expression ${text.slice(0, 60)}… has ${bytes} bytes; it has at most ${maxBytes.expression}`);
}

function countOperators(condition: Condition): number {
  switch (condition.kind) {
    case "and":
    case "or":
      if (condition.conditions.length === 0) throw new Error(`a condition has an ${condition.kind} of nothing`);
      return condition.conditions.reduce((sum, one) => sum + 1 + countOperators(one), -1);
    case "not":
      return 1 + countOperators(condition.condition);
    case "oneOf":
      if (condition.values.length < 1 || condition.values.length > maxOperands)
        throw new Error(`a condition asks for one of ${condition.values.length} values; it takes 1 to ${maxOperands}`);
      for (const value of condition.values) attributeSize("a value", value);
      return 1;
    case "equals":
      if (condition.value === undefined) throw new Error("a condition compares with undefined");
      attributeSize("a value", condition.value);
      return 1;
    default:
      return 1;
  }
}

/** @throws Error when a key of an item that is read cannot be one */
export function refuseKeys({ pk, sk }: Key): void {
  refuseKey("pk", pk, maxBytes.pk);
  refuseKey("sk", sk, maxBytes.sk);
}

/** @throws Error when a key is given twice */
export function refuseRepeatedKeys(keys: readonly Key[]): void {
  const seen = new Set<string>();
  for (const { pk, sk } of keys) {
    const text = `${pk}\0${sk}`;
    if (seen.has(text)) throw new Error(`the item ${pk} ${sk} is named twice`);
    seen.add(text);
  }
}

/** @throws Error when what is searched for cannot be the keys of an item, or nothing is asked for */
export function refuseSearch({
  pk,
  prefix,
  between,
  limit,
}: {
  pk: string;
  prefix?: string;
  between?: readonly [string, string];
  limit?: number;
}): void {
  refuseKey("the partition key of a search", pk, maxBytes.pk);
  for (const sortKey of prefix === undefined ? (between ?? []) : [prefix])
    refuseKey("a sort key of a search", sortKey, maxBytes.sk);
  if (prefix === undefined && between !== undefined && Buffer.compare(...utf8(between)) > 0)
    throw new Error(`a search goes from ${between[0]} back to ${between[1]}`);
  if (limit !== undefined && limit < 1) throw new Error(`a search has the limit ${limit}; it is at least 1`);
}

function utf8([from, to]: readonly [string, string]): [Buffer, Buffer] {
  return [Buffer.from(from), Buffer.from(to)];
}

function refuseKeyAttributes(attributes: object): void {
  for (const [name, most] of keyAttributes) {
    const value = (attributes as Record<string, unknown>)[name];
    if (value !== undefined) refuseKey(name, value, most);
  }
}

function refuseKey(name: string, value: unknown, most: number): void {
  if (typeof value !== "string") throw new Error(`${name} must be a text, it is a key`);
  if (value === "") throw new Error(`${name} must not be empty, it is a key`);
  const bytes = textSize(value);
  if (bytes > most) throw new KeyTooLong(`${name} has ${bytes} bytes; a key has at most ${most}`);
}

/** Key of the item that a write is about. */
export function keyOf(write: Write): Key {
  return write.kind === "put" ? write.item : write.key;
}
