import { type Dict, isDict } from "../model/object.ts";
import { isZero } from "./protobuf.ts";
import { canonicalQuantity, isQuantity } from "./quantity.ts";
import type { Field, Scalar, Struct, Type } from "./types.ts";

export interface Decoded {
  value: unknown;
  /** Fields the type does not have, as `spec.containers[0].imagee`. They are not in the value. */
  unknown: string[];
  /** What cannot be read as the declared type, in the words of the API server. */
  errors: string[];
  /** The same, as custom resources report it. */
  mismatches: Mismatch[];
}

export interface Mismatch {
  path: string;
  expected: string;
  found: string;
}

/** Reads a body as a type, the way the typed server does: nulls and empty lists go, structs by value come. */
export function decode(value: unknown, type: Type): Decoded {
  const context: Context = { unknown: [], errors: [], mismatches: [] };
  const result = visit(value, type, "", "", context);
  return { value: result ?? {}, ...context };
}

type Context = Omit<Decoded, "value">;

function visit(value: unknown, type: Type, path: string, owner: string, context: Context): unknown {
  if (value === null || value === undefined) return undefined;
  switch (type.kind) {
    case "any":
      return value;
    case "scalar":
      return scalar(value, type, path, owner, context);
    case "list": {
      if (!Array.isArray(value)) return mismatch(value, `[]${goName(type.element)}`, path, owner, context);
      return value.map(
        (item, i) => visit(item, type.element, `${path}[${i}]`, owner, context) ?? zeroItem(type.element),
      );
    }
    case "map": {
      if (!isDict(value)) return mismatch(value, `map[string]${goName(type.element)}`, path, owner, context);
      const result: Dict = {};
      for (const key of Object.keys(value)) {
        const item = visit(value[key], type.element, `${path}.${key}`, owner, context);
        if (item !== undefined) result[key] = item;
        else if (type.element.kind === "scalar" && type.element.format === "string") result[key] = "";
      }
      return result;
    }
    case "struct":
      return struct(value, type, path, owner, context);
  }
}

function struct(value: unknown, type: Struct, path: string, owner: string, context: Context): unknown {
  if (!isDict(value)) return mismatch(value, goName(type), path, owner, context);
  const result: Dict = {};
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    const inner = path ? `${path}.${key}` : key;
    if (!field) {
      if (type.open) result[key] = value[key];
      else if (value[key] !== undefined) context.unknown.push(inner);
      continue;
    }
    const item = visit(value[key], field.type, inner, type.name, context);
    if (item === undefined || (field.omitZero && isZero(item)) || (isEmpty(item, field.type) && !keepsEmpty(field)))
      continue;
    result[key] = item;
  }
  for (const field of type.fields.values()) {
    if (field.zero === undefined || result[field.name] !== undefined) continue;
    result[field.name] = isDict(field.zero) ? visit({}, field.type, "", "", context) : field.zero;
  }
  return result;
}

/** Lists and maps vanish when empty, except where the schema requires the field; custom resources keep everything. */
function keepsEmpty(field: Field): boolean {
  return field.required || field.schema.default !== undefined || field.zero !== undefined || field.custom;
}

function isEmpty(item: unknown, type: Type): boolean {
  if (type.kind === "list") return Array.isArray(item) && item.length === 0;
  return type.kind === "map" && isDict(item) && Object.keys(item).length === 0;
}

function zeroItem(type: Type): unknown {
  return type.kind === "scalar" ? "" : {};
}

function scalar(value: unknown, type: Scalar, path: string, owner: string, context: Context): unknown {
  switch (type.format) {
    case "quantity":
      return quantity(value, path, owner, context);
    case "intOrString":
      if (typeof value === "string" || Number.isInteger(value)) return value;
      return mismatch(value, "intstr.IntOrString", path, owner, context);
    case "boolean":
      return typeof value === "boolean" ? value : mismatch(value, "bool", path, owner, context);
    case "integer":
      return Number.isInteger(value) || typeof value === "bigint"
        ? value
        : mismatch(value, type.width ?? "int64", path, owner, context);
    case "number":
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : mismatch(value, "float64", path, owner, context);
    case "bytes":
      if (typeof value === "string") return bytes(value, context);
      return mismatch(value, "[]uint8", path, owner, context);
    default:
      return typeof value === "string" ? value : mismatch(value, "string", path, owner, context);
  }
}

function bytes(value: string, context: Context): undefined | string {
  const compact = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]/.exec(compact);
  if (!bad && compact.length % 4 === 0) return compact;
  context.errors.push(`illegal base64 data at input byte ${bad ? bad.index : compact.length - (compact.length % 4)}`);
  return undefined;
}

function quantity(value: unknown, path: string, owner: string, context: Context): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return mismatch(value, "resource.Quantity", path, owner, context);
  if (isQuantity(text)) return canonicalQuantity(text);
  context.errors.push("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return undefined;
}

function mismatch(value: unknown, expected: string, path: string, owner: string, context: Context): undefined {
  const found = Array.isArray(value)
    ? "array"
    : isDict(value)
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
  const shown = found === "number" && !Number.isInteger(value) ? `number ${value}` : found;
  const field = path.replace(/\[\d+\]/g, "");
  const where = field ? `Go struct field ${owner}.${field} of type ${expected}` : `Go value of type ${expected}`;
  context.errors.push(`json: cannot unmarshal ${shown} into ${where}`);
  const names: Record<string, string> = {
    bool: "boolean",
    int32: "integer",
    int64: "integer",
    float64: "number",
    string: "string",
  };
  const wanted = names[expected] ?? (expected.startsWith("[]") ? "array" : "object");
  const kind = found === "bool" ? "boolean" : found === "number" && Number.isInteger(value) ? "integer" : found;
  context.mismatches.push({ path, expected: wanted, found: kind });
  return undefined;
}

function goName(type: Type): string {
  if (type.kind === "struct") return `v1.${type.name}`;
  if (type.kind === "scalar")
    return type.format === "boolean" ? "bool" : type.format === "integer" ? "int32" : type.format;
  return "interface {}";
}
