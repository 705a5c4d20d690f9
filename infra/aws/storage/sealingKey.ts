import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/**
 * Wraps the data keys of sealed credentials. Every credential has a data key of its own, so the key itself
 * is rotated rarely: AWS bills each of the first two rotations like another key, which the idle cost has no room for.
 */
export class SealingKey extends Key {
  /** @param alias `alias/` and a name */
  constructor(scope: Construct, id: string, alias: string) {
    super(scope, id, {
      description: "Slipway: wraps the data keys of stored credentials",
      alias,
      enableKeyRotation: true,
      rotationPeriod: Duration.days(2560),
      pendingWindow: Duration.days(30),
      // Kept but when the deployment that makes it fails: then nothing was sealed under it, and it would cost on.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}
