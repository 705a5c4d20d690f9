import type { Dict } from "../model/object.ts";
import type { ListType, MapType, Scalar, Struct, Type } from "./types.ts";

/**
 * Reads a body that the typed Go clients (kubectl, helm) send as Kubernetes protobuf, into the same value its JSON form
 * would have. Field numbers stand in the definitions as `proto`: one number, or two for a field of an inlined message.
 */
export function decodeProtobuf(body: Buffer, typeOf: (apiVersion: string, kind: string) => Type | undefined): unknown {
  if (body.subarray(0, 4).toString("latin1") !== "k8s\0") throw new Error("not a Kubernetes protobuf body");
  const envelope = readFields(body.subarray(4));
  const meta = readFields(bytesOf(envelope.get(1)?.[0]));
  const apiVersion = textOf(meta.get(1)?.[0]);
  const kind = textOf(meta.get(2)?.[0]);
  const type = typeOf(apiVersion, kind);
  if (type?.kind !== "struct") throw new Error(`no protobuf form of ${kind} in ${apiVersion}`);
  return { apiVersion, kind, ...readStruct(bytesOf(envelope.get(2)?.[0]), type) };
}

type Wire = bigint | Buffer;
type Fields = Map<number, Wire[]>;

function readFields(data: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      if (byte === undefined) throw new Error("truncated protobuf");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > data.length) throw new Error("truncated protobuf");
    at += length;
    return data.subarray(at - length, at);
  };
  while (at < data.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value = wire === 0 ? varint() : take(wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4);
    const known = fields.get(tag >> 3);
    if (known) known.push(value);
    else fields.set(tag >> 3, [value]);
  }
  return fields;
}

function bytesOf(value: Wire | undefined): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function textOf(value: Wire | undefined): string {
  return bytesOf(value).toString("utf8");
}

function readStruct(data: Buffer, type: Struct): Dict {
  const fields = readFields(data);
  const inlined = new Map<number, Fields>();
  const result: Dict = {};
  for (const field of type.fields.values()) {
    const [first, second] = field.proto;
    if (first === undefined) continue;
    let found = fields.get(first);
    if (second !== undefined && found) {
      let inner = inlined.get(first);
      if (!inner) {
        inner = readFields(bytesOf(found[0]));
        inlined.set(first, inner);
      }
      found = inner.get(second);
    }
    if (!found) continue;
    const value = readValue(found, field.type);
    if (value !== undefined && !(field.omitZero && isZero(value))) result[field.name] = value;
  }
  return result;
}

/** By-value scalars are always on the wire; JSON leaves their zeros out. */
export function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function readValue(found: Wire[], type: Type): unknown {
  switch (type.kind) {
    case "scalar":
      return readScalar(found.at(-1), type);
    case "struct":
      return readStruct(bytesOf(found.at(-1)), type);
    case "list":
      return readList(found, type);
    case "map":
      return readMap(found, type);
    case "any":
      return readRaw(bytesOf(found.at(-1)));
  }
}

function readList(found: Wire[], type: ListType): unknown[] {
  return found.map((item) => readValue([item], type.element));
}

function readMap(found: Wire[], type: MapType): Dict {
  const result: Dict = {};
  for (const entry of found) {
    const fields = readFields(bytesOf(entry));
    result[textOf(fields.get(1)?.[0])] = readValue(fields.get(2) ?? [Buffer.alloc(0)], type.element);
  }
  return result;
}

/** Raw extensions and managed field sets carry JSON in their first field. */
function readRaw(data: Buffer): unknown {
  const raw = textOf(readFields(data).get(1)?.[0]);
  return raw === "" ? undefined : JSON.parse(raw);
}

function readScalar(value: Wire | undefined, type: Scalar): unknown {
  switch (type.format) {
    case "boolean":
      return value === 1n;
    case "integer":
      return Number(BigInt.asIntN(64, typeof value === "bigint" ? value : 0n));
    case "number":
      return bytesOf(value).length === 8 ? bytesOf(value).readDoubleLE() : 0;
    case "bytes":
      return bytesOf(value).toString("base64");
    case "quantity":
      return textOf(readFields(bytesOf(value)).get(1)?.[0]);
    case "time":
      return readTime(bytesOf(value), type);
    case "intOrString":
      return readIntOrString(bytesOf(value));
    default:
      return textOf(value);
  }
}

function readTime(data: Buffer, type: Scalar): string | undefined {
  const fields = readFields(data);
  const seconds = numberOf(fields.get(1)?.[0]);
  if (data.length === 0 || seconds < -1e11) return undefined;
  const milliseconds = seconds * 1_000 + numberOf(fields.get(2)?.[0]) / 1e6;
  const text = new Date(milliseconds).toISOString();
  return type.width === "micro" ? text : `${text.slice(0, 19)}Z`;
}

function readIntOrString(data: Buffer): string | number {
  const fields = readFields(data);
  return numberOf(fields.get(1)?.[0]) === 1 ? textOf(fields.get(3)?.[0]) : numberOf(fields.get(2)?.[0]);
}

function numberOf(value: Wire | undefined): number {
  return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
}
