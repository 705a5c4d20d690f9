import { connect, taken } from "@slipway/client";

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  name: string;
  in: "path" | "query";
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
  tag: string;
  parameters: readonly Parameter[];
  /** Schema of the JSON that is sent; undefined where none is. */
  body: Schema | undefined;
  needsBody: boolean;
  answer: Schema | undefined;
  /** Media type of the answer. */
  mediaType: string;
  /** Nothing is changed by it. */
  reads: boolean;
  /** `dryRun=true` tells what it would change. */
  previewable: boolean;
}

/** What a Slipway offers to assistants. */
export interface ApiDocument {
  operations: ReadonlyMap<string, Operation>;
  /** A schema with everything that it refers to, under `$defs`. */
  whole(schema: Schema): Schema;
}

const keptMilliseconds = 10 * 60_000;
const kept = new Map<string, { until: number; document: Promise<ApiDocument> }>();

/**
 * The document of the Slipway at an address, which may be another one after an upgrade: it is fetched again after ten
 * minutes. It is public.
 * @throws SlipwayError when nothing answers there
 */
export function apiDocumentOf(address: string): Promise<ApiDocument> {
  const known = kept.get(address);
  if (known !== undefined && known.until > Date.now()) return known.document;
  const document = taken(connect({ address, tries: 2 }).GET("/openapi.json")).then((sent) =>
    readDocument(sent as unknown as SentDocument),
  );
  kept.set(address, { until: Date.now() + keptMilliseconds, document });
  document.catch(() => kept.delete(address));
  return document;
}

interface SentOperation {
  operationId: string;
  summary?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  "x-slipway-reads"?: boolean;
  "x-slipway-secret-answer"?: boolean;
}

interface SentDocument {
  paths: Record<string, Record<string, SentOperation>>;
  components: { schemas: Record<string, Schema> };
}

function readDocument({ paths, components }: SentDocument): ApiDocument {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, sent] of Object.entries(methods))
      if (isForAssistants(method, sent))
        operations.set(sent.operationId, operationOf(method.toUpperCase(), path, sent));
  return { operations, whole: (schema) => whole(schema, components.schemas) };
}

/**
 * What needs no token is for browsers that sign in and for services that call; what answers a secret, and the GETs that
 * change something, have no place in what assistants remember.
 */
function isForAssistants(method: string, sent: SentOperation): boolean {
  if (sent.security?.length === 0 || sent["x-slipway-secret-answer"] === true) return false;
  return method !== "get" || sent["x-slipway-reads"] !== false;
}

function operationOf(method: string, path: string, sent: SentOperation): Operation {
  const success = Object.entries(sent.responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {};
  const [mediaType = "application/json", answer] = Object.entries(success)[0] ?? [];
  const { parameters = [] } = sent;
  return {
    ...{ id: sent.operationId, method, path, summary: sent.summary ?? "", tag: sent.tags?.[0] ?? "" },
    parameters: parameters.filter(({ name }) => name !== "dryRun"),
    body: sent.requestBody?.content["application/json"]?.schema,
    needsBody: sent.requestBody?.required === true,
    answer: answer?.schema,
    mediaType,
    reads: method === "GET" || sent["x-slipway-reads"] === true,
    previewable: parameters.some(({ name }) => name === "dryRun"),
  };
}

const reference = "#/components/schemas/";

function whole(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const found = new Map<string, unknown>();
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key !== "$ref" || typeof inner !== "string" || !inner.startsWith(reference)) return [key, moved(inner)];
        const name = inner.slice(reference.length);
        if (!found.has(name)) {
          found.set(name, {});
          found.set(name, moved(schemas[name]));
        }
        return [key, `#/$defs/${name}`];
      }),
    );
  };
  const own = moved(schema) as Schema;
  return found.size === 0 ? own : { ...own, $defs: Object.fromEntries(found) };
}
