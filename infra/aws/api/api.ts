import { CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AccessLogFormat,
  ApiDefinition,
  CfnBasePathMapping,
  CfnDomainName,
  CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  type RestApiBase,
  SpecRestApi,
} from "aws-cdk-lib/aws-apigateway";
import { InterfaceVpcEndpoint } from "aws-cdk-lib/aws-ec2";
import { AnyPrincipal, PolicyDocument, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { accept } from "../accept.ts";
import type { Callable } from "../functions/functions.ts";
import type { Domain, Options } from "../options/options.ts";
import { apiDefinition } from "./definition.ts";

/** TLS 1.2 and newer; a policy of this kind wants the mode beside it. */
const modernTls = {
  securityPolicy: "SecurityPolicy_TLS13_1_2_PQ_2025_09",
  endpointAccessMode: "STRICT",
} as const;

/**
 * A name of one's own for the API. It maps to the stage without a base path: API Gateway would pass a base path on to the
 * functions, which know no such path.
 */
class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { rest, domain }: { rest: RestApiBase; domain: Domain }) {
    super(scope, id);
    const name = new CfnDomainName(this, "Name", {
      domainName: domain.name,
      regionalCertificateArn: domain.certificateArn,
      endpointConfiguration: { types: ["REGIONAL"] },
      ...modernTls,
    });
    new CfnBasePathMapping(this, "Mapping", {
      domainName: name.ref,
      restApiId: rest.restApiId,
      stage: rest.deploymentStage.stageName,
    });
    const { hostedZoneId } = domain;
    if (hostedZoneId === undefined) {
      new CfnOutput(Stack.of(this), "DomainTarget", {
        value: name.attrRegionalDomainName,
        description: `Make ${domain.name} a CNAME of this name`,
      });
      return;
    }
    for (const type of ["A", "AAAA"])
      new CfnRecordSet(this, type, {
        ...{ hostedZoneId, type, name: domain.name },
        aliasTarget: { dnsName: name.attrRegionalDomainName, hostedZoneId: name.attrRegionalHostedZoneId },
      });
  }
}

/** One JSON line a request. `$context.path` has no query, so a token in the query is never written. */
const format = {
  requestId: "$context.requestId",
  time: "$context.requestTime",
  sourceIp: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  path: "$context.path",
  status: "$context.status",
  responseBytes: "$context.responseLength",
  milliseconds: "$context.responseLatency",
  functionMilliseconds: "$context.integrationLatency",
  gatewayResponse: "$context.error.responseType",
};

function accessLog(scope: Construct): {
  accessLogDestination: LogGroupLogDestination;
  accessLogFormat: AccessLogFormat;
} {
  const group = new LogGroup(scope, "AccessLog", {
    logGroupName: `/aws/vendedlogs/apigateway/${Stack.of(scope).stackName}`,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    accessLogDestination: new LogGroupLogDestination(group),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(format)),
  };
}

const stageName = "slipway";

export type ApiOptions = Pick<
  Options,
  "domain" | "throttle" | "webAclArn" | "defaultAddress" | "privateEndpoints" | "provisionedConcurrency"
>;

/** The REST API: every path belongs to the function of one endpoint group, which authenticates and authorizes itself. */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  /** Base address of every path, without a slash at the end. Functions may be told it: it needs none of them. */
  readonly address: string;

  constructor(scope: Construct, id: string, options: ApiOptions) {
    super(scope, id);
    const { domain, throttle, webAclArn, privateEndpoints } = options;
    const stack = Stack.of(this);
    this.rest = new SpecRestApi(this, "Gateway", {
      restApiName: stack.stackName,
      description: "Slipway",
      apiDefinition: ApiDefinition.fromInline(
        apiDefinition(stack, new Set(Object.keys(options.provisionedConcurrency))),
      ),
      ...(privateEndpoints === undefined
        ? { endpointTypes: [EndpointType.REGIONAL] }
        : reachedBy(this, privateEndpoints)),
      disableExecuteApiEndpoint: !options.defaultAddress,
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName,
        loggingLevel: MethodLoggingLevel.ERROR,
        throttlingRateLimit: throttle.rate,
        throttlingBurstLimit: throttle.burst,
        ...accessLog(this),
      },
    });
    // The stack has an output with a name of its own.
    this.rest.node.tryRemoveChild("Endpoint");
    requireModernTls(this.rest);
    const host = `${this.rest.restApiId}.execute-api.${stack.region}.${stack.urlSuffix}`;
    this.address = domain === undefined ? `https://${host}/${stageName}` : `https://${domain.name}`;
    if (domain !== undefined) new CustomDomain(this, "Domain", { rest: this.rest, domain });
    if (webAclArn !== undefined)
      new CfnWebACLAssociation(this, "WebAcl", { resourceArn: this.rest.deploymentStage.stageArn, webAclArn });
    accept(this, acceptedFindings);
  }

  /** Lets the API, and no other caller, call the functions of the groups. */
  admitTo(functions: readonly Callable[]): void {
    for (const one of functions)
      one.addPermission("Api", {
        principal: new ServicePrincipal("apigateway.amazonaws.com"),
        sourceArn: this.rest.arnForExecuteApi(),
      });
  }
}

/**
 * Interface endpoints reach the API, and nothing else: a private API answers no caller that its policy does not name
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-private-apis.html).
 */
function reachedBy(scope: Construct, endpointIds: readonly string[]) {
  const vpcEndpoints = endpointIds.map((id) =>
    InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(scope, id, { vpcEndpointId: id, port: 443 }),
  );
  const policy = new PolicyDocument({
    statements: [
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ["execute-api:Invoke"],
        resources: ["execute-api:/*"],
        conditions: { StringEquals: { "aws:SourceVpce": endpointIds } },
      }),
    ],
  });
  return { endpointConfiguration: { types: [EndpointType.PRIVATE], vpcEndpoints }, policy };
}

function requireModernTls(rest: SpecRestApi): void {
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
