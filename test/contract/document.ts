import { declaredDocument } from "../../functions/api/meta/declaredDocument.ts";

export interface MediaType {
  schema: object;
  example?: unknown;
}

interface DocumentedAnswer {
  $ref?: string;
  description: string;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: { in: string; name: string; description?: string; required?: boolean; schema: object }[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, DocumentedAnswer>;
  security?: object[];
}

export interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, DocumentedAnswer>;
    securitySchemes: Record<string, object>;
  };
}

/** The document as clients receive it: through JSON. */
export const document = JSON.parse(JSON.stringify(declaredDocument())) as OpenApi;

/** An operation by the name that the tests use: `GET /openapi/environments/{envName}`. */
export function operationNamed(name: string): Operation {
  const [method = "", path = ""] = name.split(" ");
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${name} is not in the document`);
  return { ...operation, responses: Object.fromEntries(Object.entries(operation.responses).map(resolved)) };
}

/** Answers that operations share stand among the components. */
function resolved([status, answer]: [string, DocumentedAnswer]): [string, DocumentedAnswer] {
  const name = /^#\/components\/responses\/(.+)$/.exec(answer.$ref ?? "")?.[1];
  const shared = name === undefined ? answer : document.components.responses[name];
  if (shared === undefined) throw new Error(`${answer.$ref} is not in the document`);
  return [status, shared];
}
