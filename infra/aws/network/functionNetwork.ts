import type { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Network } from "../options/options.ts";
import { FixedEgress } from "./fixedEgress.ts";

/** Where the functions stand, as Lambda wants it. */
export type FunctionNetwork = CfnFunction.VpcConfigProperty;

/** The network that was chosen; undefined leaves the functions outside of every network. */
export function functionNetwork(scope: Construct, network: Network | undefined): FunctionNetwork | undefined {
  if (network === undefined) return undefined;
  return "fixedEgress" in network ? new FixedEgress(scope, "FixedEgress").functions : network;
}
