import { readFileSync } from "node:fs";
import { type Dict, isDict } from "../model/object.ts";

/** A field type in the form that decoding, merging and field ownership need, compiled once from an OpenAPI schema. */
export type Type = Scalar | Struct | MapType | ListType | AnyType;

export interface Scalar {
  kind: "scalar";
  format: "string" | "bytes" | "time" | "integer" | "number" | "boolean" | "quantity" | "intOrString";
  /** The format as the schema spells it, e.g. int32. */
  width?: string;
  enum?: string[];
}

export interface Struct {
  kind: "struct";
  name: string;
  fields: Map<string, Field>;
  atomic: boolean;
  /** Unknown fields are kept instead of dropped. */
  open: boolean;
}

export interface Field {
  name: string;
  type: Type;
  required: boolean;
  /** The server always writes this field: a struct by value, or a required scalar. */
  zero: unknown;
  /** Default of a custom resource's schema. */
  default?: unknown;
  mergeKey?: string;
  strategies: string[];
  schema: RawSchema;
  /** Of a custom resource: kept as sent, also when empty. */
  custom: boolean;
  /** A scalar held by value: its zero is not written. */
  omitZero: boolean;
  /** The field's number in the protobuf form; two when it is in an inlined message. */
  proto: number[];
}

export interface MapType {
  kind: "map";
  element: Type;
  atomic: boolean;
}

export interface ListType {
  kind: "list";
  element: Type;
  mode: "atomic" | "set" | "map";
  keys: string[];
}

/** Content without a schema: maps are owned field by field, lists as a whole. */
export interface AnyType {
  kind: "any";
}

export interface RawSchema extends Dict {
  name?: string;
  type?: string;
  format?: string;
  properties?: Record<string, RawSchema>;
  required?: string[];
  items?: RawSchema;
  additionalProperties?: RawSchema | boolean;
  $ref?: string;
  default?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  /** Numbers of the protobuf form, from the published `.proto` files. */
  proto?: number[];
  /** Whether the typed server leaves the zero value out, from the published Go types. */
  omitZero?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-patch-merge-key"?: string;
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
}

export const any: AnyType = { kind: "any" };
const file = new URL("./kubernetes.ndjson", import.meta.url);

/** The definitions of the built-in types by their OpenAPI names. */
export const definitions: ReadonlyMap<string, RawSchema> = new Map(
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): [string, RawSchema] => {
      const { name, ...schema } = JSON.parse(line);
      return [name, schema];
    }),
);

const byKind = new Map<string, string>();
for (const [name, schema] of definitions) {
  const kinds = schema["x-kubernetes-group-version-kind"];
  if (!Array.isArray(kinds)) continue;
  for (const { group, version, kind } of kinds) byKind.set(`${group}/${version}/${kind}`, name);
}

/** The definition's name of a built-in kind. */
export function definitionOf(group: string, version: string, kind: string): string | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}

const compiled = new Map<string, Type>();

/** The compiled type of a built-in definition. */
export function namedType(name: string): Type {
  const known = compiled.get(name);
  if (known) return known;
  const schema = definitions.get(name);
  if (!schema) return any;
  if (name.endsWith(".Quantity")) return remember(name, { kind: "scalar", format: "quantity" });
  if (name.endsWith(".IntOrString")) return remember(name, { kind: "scalar", format: "intOrString" });
  if (name.endsWith(".MicroTime")) return remember(name, { kind: "scalar", format: "time", width: "micro" });
  if (!schema.properties) return remember(name, compile(schema, name));
  const struct: Struct = {
    kind: "struct",
    name: name.split(".").at(-1) ?? name,
    fields: new Map(),
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    open: false,
  };
  compiled.set(name, struct);
  fillFields(struct, schema, false);
  return struct;
}

function remember(name: string, type: Type): Type {
  compiled.set(name, type);
  return type;
}

/** Compiles the schema of a custom resource (or of an unnamed part). */
export function compile(schema: RawSchema, name = "", custom = false): Type {
  if (schema.$ref) return namedType(schema.$ref);
  if (schema["x-kubernetes-int-or-string"]) return { kind: "scalar", format: "intOrString" };
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  switch (schema.type) {
    case "array":
      return compileList(schema, name, custom);
    case "object":
      return compileObject(schema, name, custom, open);
    case "string":
      return scalarString(schema);
    case "integer":
    case "number":
    case "boolean":
      return { kind: "scalar", format: schema.type, ...(schema.format ? { width: schema.format } : {}) };
    default:
      return any;
  }
}

function scalarString(schema: RawSchema): Scalar {
  const format = schema.format === "byte" ? "bytes" : schema.format === "date-time" ? "time" : "string";
  const values = schema.enum?.filter((value): value is string => typeof value === "string");
  return { kind: "scalar", format, ...(values ? { enum: values } : {}) };
}

function compileList(schema: RawSchema, name: string, custom: boolean): ListType {
  const type = schema["x-kubernetes-list-type"];
  return {
    kind: "list",
    element: schema.items ? compile(schema.items, name, custom) : any,
    mode: type === "map" ? "map" : type === "set" ? "set" : "atomic",
    keys: schema["x-kubernetes-list-map-keys"] ?? [],
  };
}

function compileObject(schema: RawSchema, name: string, custom: boolean, open: boolean): Type {
  const atomic = schema["x-kubernetes-map-type"] === "atomic";
  if (schema.properties) {
    const struct: Struct = { kind: "struct", name, fields: new Map(), atomic, open };
    fillFields(struct, schema, custom);
    return struct;
  }
  if (isDict(schema.additionalProperties)) {
    return { kind: "map", element: compile(schema.additionalProperties, name, custom), atomic };
  }
  if (custom && !open && schema.additionalProperties !== true) {
    return { kind: "struct", name, fields: new Map(), atomic, open: false };
  }
  return atomic ? { kind: "map", element: any, atomic } : any;
}

function fillFields(struct: Struct, schema: RawSchema, custom: boolean): void {
  const required = new Set(schema.required ?? []);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    struct.fields.set(name, {
      name,
      type: compile(property, name, custom),
      required: required.has(name),
      zero: custom ? undefined : zeroOf(property, required.has(name)),
      ...(custom && property.default !== undefined ? { default: property.default } : {}),
      ...(property["x-kubernetes-patch-merge-key"] ? { mergeKey: property["x-kubernetes-patch-merge-key"] } : {}),
      strategies: property["x-kubernetes-patch-strategy"]?.split(",") ?? [],
      schema: property,
      custom,
      omitZero: property.omitZero === true,
      proto: property.proto ?? [],
    });
  }
}

/** The published default `{}` marks a struct held by value; a required scalar has its zero as default. */
function zeroOf(property: RawSchema, required: boolean): unknown {
  if (property.$ref && isDict(property.default)) return property.default;
  return required && !isDict(property.default) && !Array.isArray(property.default) ? property.default : undefined;
}
