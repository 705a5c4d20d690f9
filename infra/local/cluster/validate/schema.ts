import type { Resource } from "../api/resource.ts";
import { type Dict, isDict, type KubeObject } from "../model/object.ts";
import type { RawSchema, Type } from "../schema/types.ts";
import { invalidValue, type Problems, required, unsupported } from "./checks.ts";

/** Checks a custom object against its definition's schema: required, enum, pattern, ranges and lengths. */
export function validateSchema(problems: Problems, object: KubeObject, resource: Resource): void {
  if (resource.type.kind !== "struct") return;
  for (const [name, field] of resource.type.fields) {
    if (name === "metadata" || name === "apiVersion" || name === "kind") continue;
    if (object[name] === undefined) {
      if (field.required) required(problems, name);
    } else checkValue(problems, object[name], field.schema, name);
  }
}

function checkValue(problems: Problems, value: unknown, schema: RawSchema, path: string): void {
  if (schema.enum && !schema.enum.includes(value)) {
    unsupported(problems, path, value, schema.enum.map(String));
  }
  if (typeof value === "string") checkText(problems, value, schema, path);
  if (typeof value === "number") checkNumber(problems, value, schema, path);
  if (Array.isArray(value)) {
    if (typeof schema.minItems === "number" && value.length < schema.minItems) {
      invalidValue(problems, path, value.length, `${path} in body should have at least ${schema.minItems} items`);
    }
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) checkValue(problems, item, items, `${path}[${i}]`);
  }
  if (isDict(value)) checkFields(problems, value, schema, path);
}

function checkFields(problems: Problems, value: Dict, schema: RawSchema, path: string): void {
  for (const name of schema.required ?? []) if (value[name] === undefined) required(problems, `${path}.${name}`);
  for (const [name, item] of Object.entries(value)) {
    const inner = schema.properties?.[name] ?? schema.additionalProperties;
    if (isDict(inner)) checkValue(problems, item, inner, `${path}.${name}`);
  }
}

function checkText(problems: Problems, value: string, schema: RawSchema, path: string): void {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === "number" && value.length < minLength) {
    invalidValue(problems, path, value, `${path} in body should be at least ${minLength} chars long`);
  }
  if (typeof maxLength === "number" && value.length > maxLength) {
    problems.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${maxLength} bytes`,
      field: path,
    });
  }
  if (typeof pattern === "string" && !new RegExp(pattern).test(value)) {
    invalidValue(problems, path, value, `${path} in body should match '${pattern}'`);
  }
}

function checkNumber(problems: Problems, value: number, schema: RawSchema, path: string): void {
  if (typeof schema.minimum === "number" && value < schema.minimum) {
    invalidValue(problems, path, value, `${path} in body should be greater than or equal to ${schema.minimum}`);
  }
  if (typeof schema.maximum === "number" && value > schema.maximum) {
    invalidValue(problems, path, value, `${path} in body should be less than or equal to ${schema.maximum}`);
  }
}

/** Fills in the defaults of a custom resource's schema, in place. */
export function applySchemaDefaults(value: unknown, type: Type): void {
  if (type.kind === "struct" && isDict(value)) {
    for (const [name, field] of type.fields) {
      if (value[name] === undefined && field.default !== undefined) value[name] = structuredClone(field.default);
      if (value[name] !== undefined) applySchemaDefaults(value[name], field.type);
    }
  } else if (type.kind === "list" && Array.isArray(value)) {
    for (const item of value) applySchemaDefaults(item, type.element);
  } else if (type.kind === "map" && isDict(value)) {
    for (const item of Object.values(value)) applySchemaDefaults(item, type.element);
  }
}
