import { describe, expect, test } from "vitest";
import { readable, resourcesOf, synthesizedWith } from "./synthesized.ts";

/** The properties of the resources of API Gateway's second version, by the type's last word. */
const ofApi = (type: string) =>
  Object.values(resourcesOf(`AWS::ApiGatewayV2::${type}`)).map(({ Properties }) => Properties);

describe("the WebSocket API", () => {
  test("sends connections, messages and ends to one function, whose answers to messages go to the client", () => {
    const [integration, ...others] = ofApi("Integration");
    expect(others).toEqual([]);
    expect(integration).toMatchObject({ IntegrationType: "AWS_PROXY" });
    expect(readable(integration?.IntegrationUri)).toBe(
      "arn:<AWS::Partition>:apigateway:<AWS::Region>:lambda:path/2015-03-31/functions/<changesocket.Arn>/invocations",
    );
    const routes = ofApi("Route").map(({ RouteKey, Target, RouteResponseSelectionExpression }) => [
      ...[RouteKey, readable(Target), RouteResponseSelectionExpression],
    ]);
    const target = "integrations/<ChangeSocketsFunction>";
    expect(routes).toEqual([
      ["$connect", target, undefined],
      ["$disconnect", target, undefined],
      ["$default", target, "$default"],
    ]);
    expect(ofApi("RouteResponse")).toMatchObject([{ RouteResponseKey: "$default" }]);
  });

  test("alone calls that function, and the function sends to the connections of this API alone", () => {
    const permitted = Object.values(resourcesOf("AWS::Lambda::Permission")).filter(
      ({ Properties }) => readable(Properties.FunctionName) === "<changesocket.Arn>",
    );
    expect(permitted.map(({ Properties }) => [Properties.Principal, readable(Properties.SourceArn)])).toEqual([
      [
        "apigateway.amazonaws.com",
        "arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<ChangeSocketsApi>/slipway/*",
      ],
    ]);
  });

  test("has a limit for all clients, and logs neither headers nor bodies", () => {
    const [stage] = ofApi("Stage");
    expect(stage).toMatchObject({
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    });
    expect(JSON.stringify(stage?.AccessLogSettings)).not.toMatch(/header|body|protocol|query|authorizer/i);
  });

  test.each([
    ["is left out where it is not wanted", { changeSockets: false }, 0],
    [
      "is left out with API Gateway's own address",
      {
        defaultAddress: false,
        domain: {
          name: "slipway.example.com",
          certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0123abcd-0000-0000-0000-000000000000",
        },
      },
      0,
    ],
    ["is there otherwise", {}, 1],
  ])("%s", (_, context, count) => {
    const made = synthesizedWith(context);
    expect(Object.keys(resourcesOf("AWS::ApiGatewayV2::Api", made))).toHaveLength(count);
    const named = JSON.stringify(made.template.toJSON()).includes("SLIPWAY_SOCKET_ADDRESS");
    expect(named).toBe(count === 1);
  });

  test("is refused another value than yes and no", () => {
    expect(() => synthesizedWith({ changeSockets: "maybe" })).toThrow("changeSockets");
  });
});
