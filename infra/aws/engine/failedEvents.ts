import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { accept } from "../accept.ts";

/**
 * The dead-letter queue of the installation: events that a function did not take in three attempts, and what a schedule
 * could not hand over. `npm run redrive` sends them again (docs/aws.md). Nothing is paid while it is empty.
 */
export class FailedEvents extends Queue {
  constructor(scope: Construct, id: string, queueName: string) {
    super(scope, id, {
      queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // The longest that SQS keeps a message.
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(this, { "AwsSolutions-SQS3": "It is the dead-letter queue itself, which has no queue of its own." });
  }
}
