type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Schema = { [name: string]: Json };

/** Keywords of JSON Schema 2020-12 that OpenAPI 3.0 does not have, and that only narrow what a schema takes. */
const unknownKeywords = [
  "propertyNames",
  "patternProperties",
  "$schema",
  "contentEncoding",
  "contentMediaType",
  "examples",
];

/**
 * The OpenAPI 3.0 rendition of a 3.1 document, for generators that do not read 3.1: null becomes `nullable`, a constant an
 * enumeration of one. What 3.0 cannot say is left out, so that a schema takes more and never less.
 */
export function toOpenApi30(document: object): { openapi: string } {
  const copy = JSON.parse(JSON.stringify(document)) as { [name: string]: Json };
  return { ...(rendered(copy) as object), openapi: "3.0.3" };
}

function rendered(value: Json, isExample = false): Json {
  if (Array.isArray(value)) return value.map((one) => rendered(one, isExample));
  if (typeof value !== "object" || value === null) return value;
  if (isExample) return value;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    rendered(one, name === "example" || name === "enum"),
  ]);
  return renderedSchema(Object.fromEntries(members) as Schema);
}

/** Of what is no schema nothing changes: it has none of these keywords. */
function renderedSchema(given: Schema): Schema {
  const schema = withNames(withConstant(withBounds(withTypes(withAlternatives(given)))));
  for (const keyword of unknownKeywords) if (isKeywordOf(schema, keyword)) delete schema[keyword];
  if (typeof schema.$ref !== "string" || Object.keys(schema).length === 1) return schema;
  const { $ref, ...others } = schema;
  return { ...others, allOf: [{ $ref }] };
}

/** A property may be called like a keyword: then its value is a schema under `properties`, which is no schema itself. */
const isKeywordOf = (schema: Schema, keyword: string): boolean =>
  keyword in schema &&
  ("type" in schema || "anyOf" in schema || "description" in schema || keyword === "propertyNames");

function withAlternatives({ anyOf, ...schema }: Schema): Schema {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const isNull = (one: Json): boolean =>
    typeof one === "object" && one !== null && !Array.isArray(one) && isNullSchema(one);
  const others = anyOf.filter((one) => !isNull(one));
  if (others.length === anyOf.length) return { ...schema, anyOf };
  const [only, ...more] = others;
  // Generators make a type of each alternative; of a single one they need none.
  if (only === undefined || more.length > 0) return { ...schema, anyOf: others, nullable: true };
  return typeof (only as Schema).$ref === "string"
    ? { ...schema, allOf: [only], nullable: true }
    : { ...(only as Schema), ...schema, nullable: true };
}

/** As it is, and as its own rendition. */
const isNullSchema = ({ type, nullable, enum: values }: Schema): boolean =>
  type === "null" || (nullable === true && Array.isArray(values) && values.every((value) => value === null));

function withTypes({ type, ...schema }: Schema): Schema {
  if (type === "null") return { ...schema, nullable: true, enum: [null] };
  if (!Array.isArray(type)) return type === undefined ? schema : { ...schema, type };
  const types = type.filter((one) => one !== "null");
  const nullable = types.length < type.length ? { nullable: true } : {};
  const [only] = types;
  if (types.length === 1 && only !== undefined) return { ...schema, type: only, ...nullable };
  return { ...schema, anyOf: types.map((one) => ({ type: one })), ...nullable };
}

function withBounds(schema: Schema): Schema {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...others } = schema;
  if (typeof above !== "number" && typeof below !== "number") return schema;
  return {
    ...others,
    ...(typeof above === "number" && { minimum: above, exclusiveMinimum: true }),
    ...(typeof below === "number" && { maximum: below, exclusiveMaximum: true }),
  };
}

/** Two spellings of a property are one name in Go, which generators for it refuse: the second is told another. */
function withNames(schema: Schema): Schema {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return schema;
  const seen = new Set<string>();
  const named = Object.entries(properties).map(([name, property]): [string, Json] => {
    const plain = name.replace(/[^a-z0-9]/gi, "").toLowerCase();
    const isSecond = seen.has(plain) && typeof property === "object" && property !== null && !Array.isArray(property);
    seen.add(plain);
    const [first = "", ...rest] = name.split("_").join("");
    return [name, isSecond ? { ...property, "x-go-name": `${first.toUpperCase()}${rest.join("")}Alias` } : property];
  });
  return { ...schema, properties: Object.fromEntries(named) };
}

function withConstant({ const: constant, ...schema }: Schema): Schema {
  return constant === undefined || typeof constant === "object"
    ? restored(schema, constant)
    : { ...schema, enum: [constant] };
}

/** A property that is called `const` is none. */
const restored = (schema: Schema, constant: Json | undefined): Schema =>
  constant === undefined ? schema : { ...schema, const: constant };
