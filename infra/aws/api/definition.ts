import { Aws, type Stack } from "aws-cdk-lib";
import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import { type Group, groups, isStreaming } from "../../../functions/api/groups.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import type { ErrorCode } from "../../../shared/base/errors/catalogue.ts";
import { gatewaySentences } from "../../gatewaySentences.ts";
import { longestStreamSeconds } from "../functions/functions.ts";
import { functionArn, readyAlias } from "../names.ts";

interface GatewayResponse {
  type: ResponseType;
  code: ErrorCode;
  description: string;
}

/** What API Gateway answers itself because no function could; the statuses are those that every operation documents. */
export const gatewayResponses: readonly GatewayResponse[] = [
  { type: ResponseType.DEFAULT_4XX, code: 400, description: "the gateway could not read the request" },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, code: 400, description: "the gateway could not read the request" },
  { type: ResponseType.BAD_REQUEST_BODY, code: 400, description: "the gateway could not read the body" },
  { type: ResponseType.UNAUTHORIZED, code: 401, description: "missing authorization header" },
  { type: ResponseType.ACCESS_DENIED, code: 403, description: "the gateway's policy refuses this caller" },
  { type: ResponseType.EXPIRED_TOKEN, code: 403, description: "an AWS signature is not a token of this API" },
  { type: ResponseType.INVALID_SIGNATURE, code: 403, description: "an AWS signature is not a token of this API" },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 404, description: "Invalid path" },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 404, description: "Invalid path" },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 413, description: gatewaySentences.bodyTooLarge },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 400, description: "send application/json" },
  { type: ResponseType.THROTTLED, code: 429, description: "too many requests at once; try again in a moment" },
  { type: ResponseType.QUOTA_EXCEEDED, code: 429, description: "too many requests; try again later" },
  { type: ResponseType.DEFAULT_5XX, code: 500, description: gatewaySentences.noAnswer },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 500, description: gatewaySentences.tooLate },
  { type: ResponseType.INTEGRATION_FAILURE, code: 500, description: gatewaySentences.noAnswer },
  { type: ResponseType.API_CONFIGURATION_ERROR, code: 500, description: "the gateway is set up wrongly" },
];

/** What is not text arrives as base64, everything else as it was sent (docs/decisions, "Bodies through API Gateway"). */
const binaryMediaTypes = ["application/octet-stream", "application/gzip", "application/x-tar", "multipart/form-data"];

/**
 * What API Gateway does, as one OpenAPI document with Amazon's extensions
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html): every place gives any
 * method, at it and below it, to the function of its group. A template has at most 500 resources, and each place would be four.
 * Functions are named, because some of them are told the API's address.
 * @param provisioned groups some of whose executions are kept ready
 */
export function apiDefinition(stack: Stack, provisioned: ReadonlySet<string>): object {
  const streaming = new Set(groups.filter(isStreaming).map(({ name }) => name));
  const paths = placesOf(groups).flatMap(({ segments, group }) => {
    const path = segments.map((segment) => `/${segment}`).join("");
    const arn = functionArn(stack, group, provisioned.has(group) ? readyAlias : undefined);
    const any = { ...anyMethod, "x-amazon-apigateway-integration": integration(arn, streaming.has(group)) };
    return [
      [path === "" ? "/" : path, { "x-amazon-apigateway-any-method": any }],
      [`${path}/{proxy+}`, { "x-amazon-apigateway-any-method": { ...any, parameters: [proxy] } }],
    ];
  });
  return {
    openapi: "3.0.1",
    info: { title: stack.stackName, description: "Slipway", version: "1" },
    paths: Object.fromEntries(paths),
    "x-amazon-apigateway-binary-media-types": binaryMediaTypes,
    "x-amazon-apigateway-gateway-responses": ownAnswers(),
  };
}

/** Functions authenticate and authorize by themselves. */
const anyMethod = { "x-amazon-apigateway-auth": { type: "NONE" }, responses: {} };
const proxy = { name: "proxy", in: "path", required: true, schema: { type: "string" } };

/** Of a stream API Gateway passes the answer on while it comes to be, and waits for its end as long as it ever does. */
function integration(arn: string, isStream: boolean): object {
  const [version, call] = isStream ? ["2021-11-15", "response-streaming-invocations"] : ["2015-03-31", "invocations"];
  const uri = [`arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${version}/functions`, arn];
  return {
    type: "aws_proxy",
    httpMethod: "POST",
    uri: `${uri.join("/")}/${call}`,
    ...(isStream && { responseTransferMode: "STREAM", timeoutInMillis: longestStreamSeconds * 1000 }),
  };
}

/** The gateway's own answers have the five keys and the headers of all others (decisions 8.1). */
function ownAnswers(): object {
  const answers = gatewayResponses.map(({ type, code, description }) => {
    const error = new ApiError(code, description);
    return [
      type.responseType,
      {
        statusCode: error.status,
        responseTemplates: { "application/json": JSON.stringify(error.body) },
        responseParameters: {
          "gatewayresponse.header.X-Request-Id": "context.requestId",
          "gatewayresponse.header.Cache-Control": "'no-store'",
          "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
        },
      },
    ];
  });
  return Object.fromEntries(answers);
}

/** A place in the API's tree of resources and the group that answers there and below. */
interface Place {
  /** Segments from the root, none for the root itself. */
  segments: readonly string[];
  group: string;
}

/**
 * Every node on the way to a group's prefix, parents before children. Nodes between prefixes belong to the group that
 * the longest prefix gives them, so that the gateway never has to go back up the tree to find an answer.
 */
export function placesOf(groups: readonly Pick<Group, "name" | "prefixes">[]): Place[] {
  const prefixes = groups.flatMap(({ name, prefixes: own }) =>
    own.map((prefix) => ({ name, segments: segmentsOf(prefix) })),
  );
  const paths = new Map<string, readonly string[]>();
  for (const { segments } of prefixes)
    for (let length = 0; length <= segments.length; length++) {
      const way = segments.slice(0, length);
      paths.set(way.join("/"), way);
    }
  return [...paths.values()]
    .sort((a, b) => a.length - b.length || (a.join("/") < b.join("/") ? -1 : 1))
    .map((segments) => ({ segments, group: ownerOf(segments, prefixes) }));
}

function ownerOf(path: readonly string[], prefixes: readonly { name: string; segments: readonly string[] }[]): string {
  const fitting = prefixes.filter(({ segments }) => segments.every((segment, at) => path[at] === segment));
  const longest = fitting.sort((a, b) => b.segments.length - a.segments.length)[0];
  if (longest === undefined)
    throw new Error(`no endpoint group answers /${path.join("/")}; one must have the prefix /`);
  return longest.name;
}

function segmentsOf(prefix: string): string[] {
  return prefix.split("/").filter((segment) => segment !== "");
}
