import { tableDefinition } from "./tableDefinition.ts";

/** DynamoDB takes no attribute that is nested deeper. */
const maxDepth = 32;

/** What keeps one list or map, and what each of its members takes beside its content. */
const containerBytes = 3;
const memberBytes = 1;

/**
 * Bytes of an item as DynamoDB counts them, for its limit of 400 KB and for capacity units; `undefined` is not stored.
 * Source: Amazon's "DynamoDB item sizes and formats"; numbers and members as DynamoDB Local counts them.
 * @throws Error that names the attribute that DynamoDB would refuse: an empty set, a number out of range, a class's object…
 */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in item) bytes += attributeSize(name, item[name]);
  return bytes;
}

/** Bytes of an attribute with its name; 0 for `undefined`. @throws as `itemSize` */
export function attributeSize(name: string, value: unknown): number {
  if (name === "") throw new Error("an attribute has no name");
  return value === undefined ? 0 : textSize(name) + valueSize([name], value);
}

export function textSize(text: string): number {
  return Buffer.byteLength(text);
}

function valueSize(path: string[], value: unknown): number {
  switch (typeof value) {
    case "string":
      return textSize(value);
    case "number":
      return numberSize(path, value);
    case "boolean":
      return 1;
    case "object":
      return value === null ? 1 : objectSize(path, value);
    default:
      throw new Error(`${shown(path)} is a ${typeof value}, which cannot be stored`);
  }
}

function objectSize(path: string[], value: object): number {
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Set) return setSize(path, value);
  if (path.length > maxDepth) throw new Error(`${shown(path.slice(0, 3))}… has more than ${maxDepth} levels`);
  let bytes = containerBytes;
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries())
      if (member !== undefined) bytes += memberBytes + inside(path, String(at), member);
    return bytes;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new Error(`${shown(path)} is an object of a class, which cannot be stored`);
  for (const [name, member] of Object.entries(value)) {
    if (name === "") throw new Error(`an attribute in ${shown(path)} has no name`);
    if (member !== undefined) bytes += memberBytes + textSize(name) + inside(path, name, member);
  }
  return bytes;
}

function inside(path: string[], name: string, member: unknown): number {
  path.push(name);
  const bytes = valueSize(path, member);
  path.pop();
  return bytes;
}

function setSize(path: string[], members: ReadonlySet<unknown>): number {
  if (members.size === 0) throw new Error(`the set ${shown(path)} is empty`);
  const kinds = new Set([...members].map((member) => typeof member));
  if (kinds.size > 1) throw new Error(`the set ${shown(path)} has members of more than one type`);
  if (!kinds.has("string") && !kinds.has("number"))
    throw new Error(`the set ${shown(path)} has neither texts nor numbers`);
  let bytes = 0;
  for (const member of members) bytes += valueSize(path, member);
  return bytes;
}

/** One byte, one for a sign, and one for every two significant digits. */
function numberSize(path: string[], value: number): number {
  if (!Number.isFinite(value)) throw new Error(`${shown(path)} is ${value}, which is no number that can be stored`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new Error(`${shown(path)} is ${value}, which has more digits than a number keeps`);
  if (value !== 0 && Math.abs(value) < 1e-130) throw new Error(`${shown(path)} is ${value}, which is too small`);
  if (value === 0) return 1;
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "").length;
  // Pairs of digits are counted from the decimal point.
  const isSplit = (Number(exponent) + 1) % 2 !== 0;
  return 1 + Math.ceil((digits + (isSplit ? 1 : 0)) / 2) + (value < 0 ? 1 : 0);
}

function shown(path: readonly string[]): string {
  return path.join(".");
}

const keyNames: readonly string[] = [tableDefinition.partitionKey, tableDefinition.sortKey];

/** Bytes of an item's entry in an index: the keys of both, and the attributes that the index holds. */
export function entrySize(
  item: Readonly<Record<string, unknown>>,
  index: { partitionKey: string; sortKey: string; attributes: readonly string[] },
): number {
  const names = [...keyNames, index.partitionKey, index.sortKey, ...index.attributes];
  return names.reduce((bytes, name) => bytes + attributeSize(name, item[name]), 0);
}
