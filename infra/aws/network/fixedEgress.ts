import { CfnOutput, Stack } from "aws-cdk-lib";
import {
  CfnEIP,
  CfnSecurityGroup,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  NatProvider,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import type { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { accept } from "../accept.ts";

/**
 * A network of two zones that goes out by one NAT gateway with an address that stays, and to the table and the bucket by
 * gateway endpoints, which are free. A second gateway would double the price for the hours in which a zone is down.
 */
export class FixedEgress extends Construct {
  readonly functions: CfnFunction.VpcConfigProperty;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const address = new CfnEIP(this, "Address", { domain: "vpc" });
    const vpc = new Vpc(this, "Network", {
      ipAddresses: IpAddresses.cidr("10.111.0.0/20"),
      maxAzs: 2,
      natGateways: 1,
      natGatewayProvider: NatProvider.gateway({ eipAllocationIds: [address.attrAllocationId] }),
      subnetConfiguration: [
        { name: "out", subnetType: SubnetType.PUBLIC, cidrMask: 28, mapPublicIpOnLaunch: false },
        { name: "functions", subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 22 },
      ],
      gatewayEndpoints: {
        table: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        objects: { service: GatewayVpcEndpointAwsService.S3 },
      },
      // Nothing belongs to it; emptying it would take a function of its own.
      restrictDefaultSecurityGroup: false,
    });
    // Without rules of its own a group lets everything out and nothing in.
    const group = new CfnSecurityGroup(this, "Functions", {
      vpcId: vpc.vpcId,
      groupDescription: "Slipway: its functions go out, nobody comes in",
    });
    this.functions = {
      subnetIds: vpc.privateSubnets.map(({ subnetId }) => subnetId),
      securityGroupIds: [group.attrGroupId],
    };
    new CfnOutput(Stack.of(this), "EgressAddress", {
      value: address.attrPublicIp,
      description: "The one address that calls to clusters, registries and code hosts come from",
    });
    accept(vpc, {
      "AwsSolutions-VPC7":
        "Only the functions stand in it, which log what they do; a flow log is paid by the gigabyte and tells no more.",
    });
  }
}
