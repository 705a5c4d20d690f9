import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AuthorizationType,
  CfnRestApi,
  EndpointType,
  type IResource,
  LambdaIntegration,
  type LambdaIntegrationOptions,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { groups, isStreaming } from "../../../functions/api/groups.ts";
import { accept } from "../accept.ts";
import { longestStreamSeconds } from "../functions/functions.ts";
import type { Domain } from "../options/options.ts";
import { accessLog } from "./accessLog.ts";
import { CustomDomain } from "./customDomain.ts";
import { addGatewayResponses } from "./gatewayResponses.ts";
import { modernTls } from "./modernTls.ts";
import { placesOf } from "./paths.ts";

/** What is not text arrives as base64, everything else as it was sent (docs/decisions, "Bodies through API Gateway"). */
const binaryMediaTypes = ["application/octet-stream", "application/gzip", "application/x-tar", "multipart/form-data"];

/** A burst that one pipeline cannot reach and that keeps a runaway client from becoming a bill. */
const throttling = { throttlingRateLimit: 200, throttlingBurstLimit: 400 };

const stageName = "slipway";

/** The REST API: every path belongs to the function of one endpoint group, which authenticates and authorizes itself. */
export class Api extends Construct {
  readonly rest: RestApi;
  /** Base address of every path, without a slash at the end. Functions may be told it: it needs none of them. */
  readonly address: string;

  constructor(scope: Construct, id: string, { domain }: { domain: Domain | undefined }) {
    super(scope, id);
    this.rest = new RestApi(this, "Rest", {
      restApiName: Stack.of(this).stackName,
      description: "Slipway",
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes,
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName,
        loggingLevel: MethodLoggingLevel.ERROR,
        ...throttling,
        ...accessLog(this),
      },
      defaultMethodOptions: { authorizationType: AuthorizationType.NONE },
    });
    // The stack has an output with a name of its own.
    this.rest.node.tryRemoveChild("Endpoint");
    requireModernTls(this.rest);
    addGatewayResponses(this.rest);
    const { region, urlSuffix } = Stack.of(this);
    const host = `${this.rest.restApiId}.execute-api.${region}.${urlSuffix}`;
    this.address = domain === undefined ? `https://${host}/${stageName}` : `https://${domain.name}`;
    if (domain !== undefined) new CustomDomain(this, "Domain", { rest: this.rest, domain });
    accept(this, acceptedFindings);
  }

  /** Gives every path to the function of its group. */
  route(functions: Readonly<Record<string, IFunction>>): void {
    const streaming = new Set(groups.filter(isStreaming).map(({ name }) => name));
    const integrations = new Map(
      Object.entries(functions).map(([name, handler]) => [
        name,
        new LambdaIntegration(handler, {
          scopePermissionToMethod: false,
          ...(streaming.has(name) && streamingOptions),
        }),
      ]),
    );
    const resources = new Map<string, IResource>([["", this.rest.root]]);
    for (const { segments, group } of placesOf(groups)) {
      const integration = integrations.get(group);
      const parent = resources.get(segments.slice(0, -1).join("/"));
      if (integration === undefined || parent === undefined) throw new Error(`no function for group ${group}`);
      const name = segments.at(-1);
      const resource = name === undefined ? this.rest.root : parent.addResource(name);
      resources.set(segments.join("/"), resource);
      resource.addMethod("ANY", integration);
      resource.addResource("{proxy+}").addMethod("ANY", integration);
    }
  }
}

/** API Gateway passes the answer on while it comes to be, and waits for its end as long as it ever does. */
const streamingOptions: LambdaIntegrationOptions = {
  responseTransferMode: ResponseTransferMode.STREAM,
  timeout: Duration.seconds(longestStreamSeconds),
};

function requireModernTls(rest: RestApi): void {
  const resource = rest.node.defaultChild;
  if (!(resource instanceof CfnRestApi)) throw new Error("the API has no CloudFormation resource");
  Object.assign(resource, modernTls);
}

const acceptedFindings = {
  "AwsSolutions-APIG2":
    "The pipeline of every function validates path, query and body against the endpoint's declaration and reports all problems at once.",
  "AwsSolutions-APIG3":
    "A web ACL costs more a month than everything else together; the stage throttles and sign-in failures lock the account.",
  "AwsSolutions-APIG4":
    "The pipeline authenticates and authorizes every call itself, so that a revoked token is refused at once and every refusal has the five keys and its operation log.",
  "AwsSolutions-COG4": "Slipway issues its own tokens, which its pipeline checks at every call.",
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]":
    "API Gateway takes one logging role an account and region, for all APIs; AWS's own policy is made for it.",
};
