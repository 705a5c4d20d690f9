import { Aws, type Stack } from "aws-cdk-lib";
import { groups, isStreaming } from "../../../functions/api/groups.ts";
import { ApiError } from "../../../shared/errors/apiError.ts";
import { longestStreamSeconds } from "../functions/functions.ts";
import { functionArn, readyAlias } from "../names.ts";
import { gatewayResponses } from "./gatewayResponses.ts";
import { placesOf } from "./paths.ts";

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
