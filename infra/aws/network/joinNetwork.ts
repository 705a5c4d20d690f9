import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";

const actions = [
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

/** Lets only Lambda put a function into a network with the function's role: the function's own code may not. */
export function joinNetwork(functionArn: string): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: "JoinNetwork", actions, resources: ["*"] }),
    new PolicyStatement({
      sid: "LeaveNetworksAlone",
      effect: Effect.DENY,
      actions,
      resources: ["*"],
      conditions: { ArnEquals: { "lambda:SourceFunctionArn": functionArn } },
    }),
  ];
}

export const joinsAnyNetwork = {
  "AwsSolutions-IAM5[Resource::*]":
    "Lambda checks these actions on * before it puts a function into a network; the function's own code is denied them.",
};
