import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AccessLogFormat, LogGroupLogDestination } from "aws-cdk-lib/aws-apigateway";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

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

export function accessLog(scope: Construct): {
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
