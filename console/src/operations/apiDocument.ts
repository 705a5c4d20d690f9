/** A JSON Schema of the API document, as far as forms are made from it. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  title?: string;
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

/** One endpoint as the API document declares it. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tag: string;
  parameters: readonly Parameter[];
  /** Of the JSON that is sent; undefined where none is. */
  body: Schema | undefined;
  needsBody: boolean;
  /** Whether a file is sent instead. */
  takesFile: boolean;
  /** Media type of the answer. */
  mediaType: string;
  reads: boolean;
  /** `dryRun=true` says what it would change. */
  previewable: boolean;
}

export interface ApiDocument {
  operations: readonly Operation[];
  schemas: Readonly<Record<string, Schema>>;
}

interface SentOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
  "x-slipway-reads"?: boolean;
}

export interface SentDocument {
  paths: Record<string, Record<string, SentOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** What needs no token is for browsers that sign in and for services that call, and has no place in the console. */
export function readDocument({ paths, components }: SentDocument): ApiDocument {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method, sent]) => operationOf(method.toUpperCase(), path, sent)),
  );
  return { operations, schemas: components.schemas };
}

function operationOf(method: string, path: string, sent: SentOperation): Operation {
  const { parameters = [], requestBody } = sent;
  const success = Object.entries(sent.responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {};
  return {
    ...{ id: sent.operationId, method, path, summary: sent.summary ?? sent.operationId, tag: sent.tags?.[0] ?? "" },
    description: sent.description ?? "",
    parameters: parameters.filter(({ name, in: place }) => name !== "dryRun" && place !== "header"),
    body: requestBody?.content["application/json"]?.schema,
    needsBody: requestBody?.required === true,
    takesFile: requestBody?.content["application/gzip"] !== undefined,
    mediaType: Object.keys(success)[0] ?? "application/json",
    reads: sent["x-slipway-reads"] ?? method === "GET",
    previewable: parameters.some(({ name }) => name === "dryRun"),
  };
}

const prefix = "#/components/schemas/";

/** A schema without references and, of one that may be null or is put together from several, what people fill in. */
export function plain({ schemas }: Pick<ApiDocument, "schemas">, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const { $ref, ...own } = schema;
    return plain({ schemas }, { ...schemas[$ref.slice(prefix.length)], ...own });
  }
  if (schema.allOf !== undefined) {
    const { allOf, ...own } = schema;
    return allOf.map((part) => plain({ schemas }, part)).reduce(joined, own);
  }
  const members = (schema.anyOf ?? schema.oneOf)?.map((member) => plain({ schemas }, member));
  const some = members?.filter(({ type }) => type !== "null");
  if (some === undefined) return schema;
  const { anyOf: _, oneOf: __, ...own } = schema;
  if (some.length === 1) return { ...some[0], ...own };
  if (some.every((member) => member.const !== undefined)) return { ...own, enum: some.map((member) => member.const) };
  const [first] = some;
  if (first?.type === "string" && some.every(({ type }) => type === "string")) return { ...own, type: "string" };
  return { ...own, anyOf: some };
}

function joined(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    properties: { ...one.properties, ...other.properties },
    required: [...(one.required ?? []), ...(other.required ?? [])],
  };
}

/** A name of a field as people read it: `registry_id` and `registryId` are both "Registry id". */
export function readable(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
