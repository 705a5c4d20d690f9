import { Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import { CfnApi, CfnIntegration, CfnRoute, CfnRouteResponse, CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { accept } from "./accept.ts";

const stageName = "slipway";

/** One JSON line a message of a client. Neither headers nor bodies: a header has the ticket. */
const logFormat = {
  requestId: "$context.requestId",
  time: "$context.requestTime",
  sourceIp: "$context.identity.sourceIp",
  route: "$context.routeKey",
  connectionId: "$context.connectionId",
  status: "$context.status",
  error: "$context.integrationErrorMessage",
};

/** Of all clients together: a client sends a message a page and one every five minutes. */
const throttle = { rate: 100, burst: 200 };

/** The WebSocket API by which connections are told what changes (docs/decisions/0207); one function answers its routes. */
export class ChangeSockets extends Construct {
  /** Where clients connect, `wss://…`. */
  readonly address: string;
  /** Where messages to connections are sent, `https://…`. */
  readonly connections: string;
  /** What allows to send to a connection, and to close it. */
  readonly connectionArns: readonly string[];
  /** Finding of cdk-nag about them → why AWS leaves no other way. */
  readonly wildcards: Readonly<Record<string, string>>;
  readonly #api: CfnApi;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const stack = Stack.of(this);
    this.#api = new CfnApi(this, "Api", {
      name: `${stack.stackName}-changes`,
      description: "Slipway: what changes",
      protocolType: "WEBSOCKET",
      routeSelectionExpression: "$request.body.action",
    });
    const host = `${this.#api.ref}.execute-api.${stack.region}.${stack.urlSuffix}`;
    this.address = `wss://${host}/${stageName}`;
    this.connections = `https://${host}/${stageName}`;
    this.connectionArns = ["POST", "DELETE"].map((method) => this.#arn(`${stageName}/${method}/@connections/*`));
    const apiId = `<${stack.getLogicalId(this.#api)}>`;
    this.wildcards = Object.fromEntries(
      ["POST", "DELETE"].map((method) => [
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:${apiId}/${stageName}/${method}/@connections/*]`,
        "API Gateway names a connection when it is opened; the API, its stage and the method are named.",
      ]),
    );
    const log = new LogGroup(this, "AccessLog", {
      logGroupName: `/aws/vendedlogs/apigateway/${stack.stackName}-changes`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new CfnStage(this, "Stage", {
      apiId: this.#api.ref,
      stageName,
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttle.rate, throttlingBurstLimit: throttle.burst },
      accessLogSettings: { destinationArn: log.logGroupArn, format: JSON.stringify(logFormat) },
    });
    accept(this, acceptedFindings);
  }

  /** Has a function answer connections that come, their messages, and their end; it alone is called, and by this API alone. */
  answerBy(answering: IFunction): void {
    const apiId = this.#api.ref;
    const call = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions`;
    const integration = new CfnIntegration(this, "Function", {
      apiId,
      integrationType: "AWS_PROXY",
      integrationUri: `${call}/${answering.functionArn}/invocations`,
    });
    const target = `integrations/${integration.ref}`;
    for (const [name, routeKey] of Object.entries({ Connect: "$connect", Disconnect: "$disconnect" }))
      new CfnRoute(this, name, { apiId, routeKey, target, authorizationType: "NONE" });
    const messages = new CfnRoute(this, "Messages", {
      ...{ apiId, target, routeKey: "$default", authorizationType: "NONE" },
      routeResponseSelectionExpression: "$default",
    });
    new CfnRouteResponse(this, "Answers", { apiId, routeId: messages.ref, routeResponseKey: "$default" });
    answering.addPermission("ChangeSockets", {
      principal: new ServicePrincipal("apigateway.amazonaws.com"),
      sourceArn: this.#arn(`${stageName}/*`),
    });
  }

  #arn(resourceName: string): string {
    return Stack.of(this).formatArn({ service: "execute-api", resource: this.#api.ref, resourceName });
  }
}

const acceptedFindings = {
  "AwsSolutions-APIG4":
    "The function admits a connection by a ticket that an authenticated call was given, once, and reads the rights of its bearer before each message.",
};
