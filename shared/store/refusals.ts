import { tableDefinition } from "./tableDefinition.ts";

/** Names that somebody gave make a key that no item can have. */
export class KeyTooLong extends Error {
  override readonly name = "KeyTooLong";
}

/** What DynamoDB allows of keys, in bytes, and of expressions. */
const maxBytes = { pk: 2048, sk: 1024, expression: 4096 };
const maxOperands = 100;
const maxOperators = 300;

/** Attributes that are keys of the table or of an index → most bytes. */
const keyAttributes: ReadonlyMap<string, number> = new Map(
  [tableDefinition, ...tableDefinition.indexes].flatMap(({ partitionKey, sortKey }) => [
    [partitionKey, maxBytes.pk],
    [sortKey, maxBytes.sk],
  ]),
);

/** The part of a request that has expressions. */
export interface Expressions {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string | undefined;
  KeyConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Attributes that one update names. DynamoDB refuses a key or a repeated one; the embedded engine takes them inside
 * transactions. What it takes and DynamoDB does not is refused in this file, so that every test stands for both.
 * @throws Error that names the attribute
 */
export function refuseRepeats(attributes: readonly string[]): void {
  const seen = new Set<string>();
  for (const attribute of attributes) {
    if (attribute === tableDefinition.partitionKey || attribute === tableDefinition.sortKey)
      throw new Error(`an update cannot change the key attribute ${attribute}`);
    if (seen.has(attribute)) throw new Error(`an update names the attribute ${attribute} twice`);
    seen.add(attribute);
  }
}

/** @throws Error when an attribute has no name, a key is none, or a set has members of two types */
export function refuseAttributes(attributes: object): void {
  for (const [name, value] of Object.entries(attributes) as [string, unknown][]) {
    const most = keyAttributes.get(name);
    if (name === "") throw new Error("an attribute has no name");
    if (most !== undefined && value !== undefined) refuseKey(name, value, most);
    refuseValue(name, value);
  }
}

/** @throws Error when the keys that are searched for cannot be those of an item */
export function refuseSearch(pk: string, sortKeys: readonly string[]): void {
  refuseKey("the partition key of a search", pk, maxBytes.pk);
  for (const sortKey of sortKeys) refuseKey("a sort key of a search", sortKey, maxBytes.sk);
}

function refuseKey(name: string, value: unknown, most: number): void {
  if (typeof value !== "string") throw new Error(`${name} must be a text, it is a key`);
  if (value === "") throw new Error(`${name} must not be empty, it is a key`);
  const bytes = Buffer.byteLength(value);
  if (bytes > most) throw new KeyTooLong(`${name} has ${bytes} bytes; a key has at most ${most}`);
}

function refuseValue(path: string, value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  if (value instanceof Set) {
    if (new Set([...value].map((member) => typeof member)).size > 1)
      throw new Error(`the set ${path} has members of more than one type`);
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (name === "") throw new Error(`an attribute in ${path} has no name`);
    refuseValue(path, part);
  }
}

/** @throws Error that says which expression is too long or has too much in it, or what is given and not used */
export function refuseExpressions(given: Expressions): void {
  const texts = [given.ConditionExpression, given.UpdateExpression, given.KeyConditionExpression].filter(
    (text) => text !== undefined,
  );
  for (const text of texts) refuseExpression(text);
  const used = new Set(texts.flatMap((text) => text.match(/[#:]\w+/g) ?? []));
  const placeholders = [
    ...Object.keys(given.ExpressionAttributeNames ?? {}),
    ...Object.keys(given.ExpressionAttributeValues ?? {}),
  ];
  const unused = placeholders.find((placeholder) => !used.has(placeholder));
  if (unused !== undefined) throw new Error(`no expression uses ${unused}`);
}

function refuseExpression(text: string): void {
  const shown = `the expression ${text.slice(0, 60)}…`;
  if (text === "") throw new Error("an expression is empty");
  if (Buffer.byteLength(text) > maxBytes.expression)
    throw new Error(`${shown} has more than ${maxBytes.expression} bytes`);
  for (const [, operands = ""] of text.matchAll(/\bIN \(([^)]*)\)/g))
    if (operands.split(",").length > maxOperands) throw new Error(`${shown} has an IN of more than ${maxOperands}`);
  const operators = text.match(/<>|[<>]=?|=|\b(?:AND|OR|NOT|IN|BETWEEN)\b/g) ?? [];
  if (operators.length > maxOperators) throw new Error(`${shown} has more than ${maxOperators} operators`);
}
