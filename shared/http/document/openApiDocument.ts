import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideMeta,
  type ZodOpenApiOverrideMetaContext,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { errorCatalogue } from "../../base/errors/catalogue.ts";
import { eitherPlace } from "../eitherPlace.ts";
import { overrideReason } from "../freezeQuery.ts";
import { previewQuery, previewReport } from "../preview.ts";
import type { ResponseType, Route, Routes } from "../route.ts";
import { templateOf } from "../router.ts";
import { cutHeader, mayBeCut } from "../stream/cutAnswer.ts";
import { operationText } from "./operationText.ts";
import { parameterText } from "./parameterTexts.ts";
import { tagTexts } from "./tagTexts.ts";

const problem = z
  .object({ in: z.enum(["path", "query", "header", "body"]), path: z.string(), problem: z.string() })
  .meta({ id: "Problem" });

const errorBody = z
  .object({
    type: z.literal("error"),
    code: z.int().meta({ description: "HTTP status, or a code of the catalogue, which travels with HTTP 400" }),
    message: z.string(),
    description: z.string(),
    extra: z.looseObject({ problems: z.array(problem).optional() }),
    resultCode: z.int().optional().meta({ description: "On 400 and 401 of the older API: the status once more" }),
    errorMsg: z.string().optional().meta({ description: "Beside resultCode" }),
  })
  .meta({ id: "Error", description: "Every error answer" });

/** One object a status, which all operations refer to. */
const errorAnswers = new Map(
  Object.entries(errorCatalogue).map(([status, description]): [string, ZodOpenApiResponseObject] => [
    status,
    { id: `Error${status}`, description, content: { "application/json": { schema: errorBody } } },
  ]),
);

/** Documented on every operation (decisions 1.2). */
const everyStatus = [400, 401, 403, 404, 405, 413, 500, 503] as const;
/** Documented on every mutation: optimistic updates, idempotency keys, a full disk. */
const mutationStatus = [409, 422, 507] as const;

/** The OpenAPI 3.1 document of the given declarations; nothing in it is written twice. */
export function openApiDocument(groups: readonly Routes[]): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const routes of groups) {
    for (const [id, route] of Object.entries(routes)) {
      const template = templateOf(route.path);
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: operationOf(id, route) };
    }
  }
  const tags = new Set(groups.flatMap((routes) => Object.values(routes).map(({ tag }) => tag)));
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "Slipway",
      version: "0.1.0",
      description: "Continuous delivery for Kubernetes. Speaks the OpenAPI of Zadig.",
    },
    servers: [{ url: "/" }],
    tags: [...tags].map((name) => ({ name, description: tagTexts[name] ?? "" })),
    security: [{ token: [] }],
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        tokenInQuery: {
          type: "apiKey",
          in: "query",
          name: "token",
          description:
            "Only on streams and for `format=ics`, for clients that cannot set headers; takes precedence over the header",
        },
      },
    },
    paths,
  });
  describeParameters(document);
  return document;
}

/** Says of each parameter what it means where its declaration does not. */
function describeParameters({ paths = {} }: ReturnType<typeof createDocument>): void {
  const operations = Object.values(paths).flatMap(
    (methods) => Object.values(methods ?? {}) as { parameters?: unknown }[],
  );
  for (const { parameters } of operations)
    for (const parameter of (parameters ?? []) as { in: string; name: string; description?: string }[])
      parameter.description ??= parameterText(parameter) ?? "";
}

function operationOf(id: string, route: Route): ZodOpenApiOperationObject {
  const requestParams = {
    ...(hasFields(route.params) && { path: pathParams(route) }),
    ...(hasFields(queryOf(route)) && { query: queryOf(route) }),
  };
  return {
    operationId: id,
    summary: route.summary,
    description: operationText(route),
    tags: [route.tag],
    ...effectOf(route),
    ...(route.permission.kind === "public" && { security: [] }),
    ...((route.responseType === "events" || route.textFormat) && { security: [{ token: [] }, { tokenInQuery: [] }] }),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(route.body !== undefined && {
      requestBody: { required: !route.body.safeParse(undefined).success, content: bodyContent(route, route.body) },
    }),
    responses: {
      [`${route.answerStatus ?? 200}` as "200"]: {
        description: "Success",
        ...(mayBeCut(route) && { headers: { [cutHeader]: cutCount } }),
        content: {
          [contentTypes[route.responseType]]: { schema: answerOf(route) },
          ...(route.textFormat && { [route.textFormat.mediaType]: { schema: z.string() } }),
        },
      },
      ...errorResponses(route),
    },
  };
}

/** What a client could not tell from the method: a POST that reads, a GET that changes, an answer that holds a secret. */
function effectOf({ method, reads, audit, secretAnswer }: Route): Record<`x-${string}`, boolean> {
  const isOddGet = method === "GET" && audit !== undefined;
  return {
    ...((reads || isOddGet) && { "x-slipway-reads": reads === true }),
    ...(secretAnswer && { "x-slipway-secret-answer": true }),
  };
}

function bodyContent(route: Route, sent: z.ZodType) {
  const { readBody } = route;
  const schema = withoutProject(route, sent);
  const other = readBody && { [readBody.mediaType]: { schema } };
  return { "application/json": { schema }, ...other };
}

/** Where the query may name the project as well, the body need not have it. */
function withoutProject(route: Route, body: z.ZodType): z.ZodType {
  const either = eitherPlace(route);
  if (either?.declared !== "body") return body;
  const override: ZodOpenApiOverrideMeta = ({ jsonSchema }) => letOut(jsonSchema, either.body);
  return body.meta({ ...body.meta(), override });
}

function letOut(schema: ZodOpenApiOverrideMetaContext["jsonSchema"], name: string): void {
  if (schema.required !== undefined) schema.required = schema.required.filter((field) => field !== name);
  for (const member of schema.anyOf ?? []) letOut(member, name);
}

const cutCount = {
  description:
    "Only present when the list would make the answer too large: how much of it is included, as `812 of 2000`",
  schema: { type: "string" as const },
};

const contentTypes = {
  json: "application/json",
  text: "text/plain",
  ndjson: "application/x-ndjson",
  gzip: "application/gzip",
  events: "text/event-stream",
  stream: "text/plain",
} as const satisfies Record<ResponseType, string>;

function queryOf(route: Route): z.ZodObject {
  const query = (route.query as z.ZodObject)
    .extend(projectQuery(route))
    .extend(route.freeze === undefined ? {} : { override_reason: overrideReason });
  return route.preview === true ? query.extend({ dryRun: previewQuery }) : query;
}

/** Where the body may name the project as well, no client has to name it here. */
function projectQuery(route: Route): z.ZodRawShape {
  const either = eitherPlace(route);
  if (either === undefined) return {};
  const description = `The project; may stand in the body as ${either.body} instead. Given twice, both must be the same`;
  return { [either.query]: z.string().optional().meta({ description }) };
}

function answerOf(route: Route): z.ZodType {
  return route.preview === true ? z.union([route.response, previewReport]) : route.response;
}

/** Parameters whose declaration limits their form say so. */
function pathParams(route: Route): z.ZodObject {
  const object = route.params as z.ZodObject;
  const formed = [...route.path.matchAll(/:([A-Za-z]+)\(([a-z]+)\)/g)].map(([, name = "", form = ""]) => {
    return [name, forms[form] ?? z.string()] as const;
  });
  return formed.length === 0 ? object : object.extend(Object.fromEntries(formed));
}

const forms: Readonly<Record<string, z.ZodType>> = {
  hex: z.string().regex(/^[0-9a-f]{24}$/),
  uuid: z.uuid(),
  int: z.string().regex(/^\d{1,15}$/),
};

function hasFields(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length > 0;
}

function errorResponses(route: Route): ZodOpenApiOperationObject["responses"] {
  const statuses = new Set([
    ...everyStatus,
    ...(route.method === "GET" || route.reads ? [] : mutationStatus),
    ...route.errorStatuses,
  ]);
  const responses: ZodOpenApiOperationObject["responses"] = {};
  for (const status of statuses) responses[`${status}` as "400"] = errorAnswers.get(`${status}`) ?? {};
  return responses;
}
