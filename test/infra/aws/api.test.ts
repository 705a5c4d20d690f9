import { Match } from "aws-cdk-lib/assertions";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groups } from "../../../functions/api/groups.ts";
import { gatewayResponses, placesOf } from "../../../infra/aws/api/definition.ts";
import { readable, resourcesOf, synthesized } from "./synthesized.ts";

/** The group whose prefix fits a path best, as the local gateway decides it. */
function groupByPrefix(path: string): string | undefined {
  return groups
    .flatMap(({ name, prefixes }) => prefixes.map((prefix) => ({ name, prefix })))
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .find(({ prefix }) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`))?.name;
}

/** Who answers a path in API Gateway: the exact resource, else the `{proxy+}` of the deepest resource on the way. */
function groupByPlace(path: string): string | undefined {
  const segments = path.split("/").slice(1);
  return placesOf(groups)
    .filter((place) => place.segments.every((segment, at) => segments[at] === segment))
    .sort((a, b) => b.segments.length - a.segments.length)[0]?.group;
}

interface Method {
  "x-amazon-apigateway-auth": { type: string };
  "x-amazon-apigateway-integration": {
    type: string;
    uri: unknown;
    responseTransferMode?: string;
    timeoutInMillis?: number;
  };
  parameters?: object[];
}

interface Answer {
  statusCode: number;
  responseTemplates: Record<string, string>;
  responseParameters: Record<string, string>;
}

interface Definition {
  paths: Record<string, Record<string, Method>>;
  "x-amazon-apigateway-binary-media-types": string[];
  "x-amazon-apigateway-gateway-responses": Record<string, Answer>;
}

/** The OpenAPI document that the API is made of. */
const definition = (): Definition =>
  Object.values(resourcesOf("AWS::ApiGateway::RestApi"))[0]?.Properties.Body as unknown as Definition;

/** What is done with any method, by path. */
const methods = (): [string, Method][] =>
  Object.entries(definition().paths).map(([path, { "x-amazon-apigateway-any-method": any }]) => [path, any as Method]);

const somePath = fc
  .array(
    fc.oneof(
      fc.constantFrom(...new Set(groups.flatMap(({ prefixes }) => prefixes.flatMap((prefix) => prefix.split("/"))))),
      fc.stringMatching(/^[a-z]{1,6}$/),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((segments) => `/${segments.filter((segment) => segment !== "").join("/")}`);

describe("the paths of the API", () => {
  test("API Gateway sends every path to the group that the local gateway sends it to", () => {
    fc.assert(
      fc.property(somePath, (path) => {
        expect(groupByPlace(path)).toBe(groupByPrefix(path));
      }),
    );
  });

  test("every declared endpoint reaches the group that declares it", () => {
    for (const { name, routes } of groups)
      for (const { path } of Object.values(routes))
        expect(groupByPlace(path.replace(/:[A-Za-z]+(\([a-z]+\))?/g, "x")), path).toBe(name);
  });

  test("every place answers any method itself and below itself, without an authorizer", () => {
    const places = placesOf(groups).map(({ segments }) => segments.map((segment) => `/${segment}`).join(""));
    const paths = places.flatMap((path) => [path || "/", `${path}/{proxy+}`]);
    expect(methods().map(([path]) => path)).toEqual(paths);
    for (const [path, method] of methods()) {
      expect(Object.keys(definition().paths[path] ?? {})).toEqual(["x-amazon-apigateway-any-method"]);
      expect(method).toMatchObject({
        "x-amazon-apigateway-auth": { type: "NONE" },
        "x-amazon-apigateway-integration": { type: "aws_proxy", httpMethod: "POST" },
      });
      expect(method.parameters?.length ?? 0).toBe(path.endsWith("{proxy+}") ? 1 : 0);
    }
  });

  test("streams and files have paths that pass answers on for up to fifteen minutes; all others do not", () => {
    const integrations = methods().map(([path, method]) => ({ path, ...method["x-amazon-apigateway-integration"] }));
    const streaming = integrations.filter(({ responseTransferMode }) => responseTransferMode === "STREAM");
    const places = placesOf(groups).filter(({ group }) => ["events", "logs", "meta"].includes(group));
    const paths = places.map(({ segments }) => segments.map((segment) => `/${segment}`).join(""));
    expect(streaming.map(({ path }) => path).sort()).toEqual(
      paths.flatMap((path) => [path || "/", `${path}/{proxy+}`]).sort(),
    );
    for (const { uri, timeoutInMillis } of streaming) {
      expect(readable(uri)).toMatch(
        /:lambda:path\/2021-11-15\/functions\/.*:function:Slipway-(logs|events|meta)\/response-streaming-invocations$/,
      );
      expect(timeoutInMillis).toBe(900_000);
    }
    for (const { responseTransferMode, uri, timeoutInMillis } of integrations.filter(
      (one) => !streaming.includes(one),
    )) {
      expect([responseTransferMode, timeoutInMillis]).toEqual([undefined, undefined]);
      expect(readable(uri)).toMatch(/:lambda:path\/2015-03-31\/functions\/.*:function:Slipway-[a-z]+\/invocations$/);
    }
  });

  test("only functions of the stack answer, whatever the partition, and only this API may call them", () => {
    const names = Object.values(resourcesOf("AWS::Lambda::Function")).map(({ Properties }) => Properties.FunctionName);
    for (const [, { "x-amazon-apigateway-integration": made }] of methods()) {
      const [, name] = /:function:([^/]+)\//.exec(readable(made.uri)) ?? [];
      expect(names).toContain(name);
      expect(readable(made.uri)).toMatch(/^arn:<AWS::Partition>:apigateway:<AWS::Region>:/);
    }
    const permissions = Object.values(resourcesOf("AWS::Lambda::Permission")).filter(
      ({ Properties }) => !readable(Properties.SourceArn).includes("<ChangeSocketsApi>"),
    );
    expect(permissions).toHaveLength(groups.length);
    for (const { Properties } of permissions) {
      expect(Properties.Principal).toBe("apigateway.amazonaws.com");
      expect(readable(Properties.SourceArn)).toMatch(/:execute-api:<AWS::Region>:<AWS::AccountId>:<ApiGateway>\//);
    }
  });
});

describe("what API Gateway does itself", () => {
  test("its own answers have the five keys, a status that every operation documents, and the request id", () => {
    const made = Object.entries(definition()["x-amazon-apigateway-gateway-responses"]);
    expect(made.map(([type]) => type)).toEqual(gatewayResponses.map(({ type }) => type.responseType));
    for (const [, { statusCode, responseTemplates, responseParameters }] of made) {
      const body = JSON.parse(responseTemplates["application/json"] ?? "") as Record<string, unknown>;
      expect(Object.keys(body).sort()).toEqual(["code", "description", "extra", "message", "type"]);
      expect(body).toMatchObject({ type: "error", code: statusCode, extra: {} });
      expect([400, 401, 403, 404, 413, 429, 500]).toContain(body.code);
      expect(responseParameters).toMatchObject({ "gatewayresponse.header.X-Request-Id": "context.requestId" });
    }
  });

  test("a path without a function is 404, a body too large 413, a burst 429, a dead function 500", () => {
    const status = Object.fromEntries(gatewayResponses.map(({ type, code }) => [type.responseType, code]));
    expect(status).toMatchObject({
      MISSING_AUTHENTICATION_TOKEN: 404,
      RESOURCE_NOT_FOUND: 404,
      REQUEST_TOO_LARGE: 413,
      THROTTLED: 429,
      INTEGRATION_FAILURE: 500,
      INTEGRATION_TIMEOUT: 500,
      DEFAULT_4XX: 400,
      DEFAULT_5XX: 500,
    });
  });

  test("it is regional, speaks TLS 1.2 or newer, and leaves texts as they were sent", () => {
    synthesized().template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: Match.stringLikeRegexp("^SecurityPolicy_TLS13_1_2"),
      EndpointAccessMode: "STRICT",
    });
    expect(definition()["x-amazon-apigateway-binary-media-types"]).not.toContain("*/*");
  });

  test("calls are throttled, and their log lines hold neither query nor header nor body", () => {
    const [stage] = Object.values(resourcesOf("AWS::ApiGateway::Stage"));
    const settings = stage?.Properties.MethodSettings as Record<string, unknown>[];
    expect(settings).toEqual([
      {
        HttpMethod: "*",
        ResourcePath: "/*",
        LoggingLevel: "ERROR",
        DataTraceEnabled: false,
        ThrottlingRateLimit: 200,
        ThrottlingBurstLimit: 400,
      },
    ]);
    const { Format } = (stage?.Properties.AccessLogSetting ?? {}) as { Format?: string };
    const logged = Object.values(JSON.parse(Format ?? "{}") as Record<string, string>);
    expect(logged).toContain("$context.requestId");
    expect(logged).toContain("$context.path");
    for (const value of logged) expect(value).toMatch(/^\$context\.(?!.*(query|authori|domain|uri))/i);
  });
});
