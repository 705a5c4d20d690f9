import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { tableDefinition } from "../../../shared/store/tableDefinition.ts";
import { resourcesOf, synthesized } from "./synthesized.ts";

/** What may stand in the stack. Everything here costs nothing while nobody uses it, but for the kinds counted below. */
const idleKinds = [
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::GatewayResponse",
  "AWS::ApiGateway::Method",
  "AWS::ApiGateway::Resource",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::DynamoDB::GlobalTable",
  "AWS::IAM::Policy",
  "AWS::IAM::Role",
  "AWS::KMS::Alias",
  "AWS::KMS::Key",
  "AWS::Lambda::Function",
  "AWS::Lambda::Permission",
  // A bus costs by the event.
  "AWS::Events::EventBus",
  "AWS::Logs::LogGroup",
  "AWS::S3::Bucket",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
  "AWS::Scheduler::Schedule",
  "AWS::Scheduler::ScheduleGroup",
  "AWS::SecretsManager::Secret",
  "AWS::StepFunctions::StateMachine",
];

/** US dollars a month in us-east-1 for one that is there and not used (docs/aws.md). */
const idlePrices = {
  "AWS::KMS::Key": 1,
  "AWS::SecretsManager::Secret": 0.4,
  "AWS::CloudWatch::Alarm": 0.1,
};

describe("what the stack keeps", () => {
  test("the table has the keys, indexes and ttl of its definition, on demand, restorable and protected", () => {
    const key = (name: string, KeyType: string) => ({ AttributeName: name, KeyType });
    synthesized().template.hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: Match.objectLike({
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [key(tableDefinition.partitionKey, "HASH"), key(tableDefinition.sortKey, "RANGE")],
        TimeToLiveSpecification: { AttributeName: tableDefinition.ttlAttribute, Enabled: true },
        GlobalSecondaryIndexes: tableDefinition.indexes.map((index) =>
          Match.objectLike({
            IndexName: index.name,
            KeySchema: [key(index.partitionKey, "HASH"), key(index.sortKey, "RANGE")],
            Projection:
              index.attributes.length === 0
                ? { ProjectionType: "KEYS_ONLY" }
                : { ProjectionType: "INCLUDE", NonKeyAttributes: [...index.attributes] },
          }),
        ),
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      }),
    });
  });

  test("the bucket is private, versioned, speaks TLS only and is not deleted with the stack", () => {
    const { template } = synthesized();
    template.hasResource("AWS::S3::Bucket", {
      DeletionPolicy: "Retain",
      Properties: Match.objectLike({
        VersioningConfiguration: { Status: "Enabled" },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        LifecycleConfiguration: {
          Rules: Match.arrayWith([
            Match.objectLike({ NoncurrentVersionExpiration: { NoncurrentDays: 35 } }),
            Match.objectLike({ Prefix: "tmp/", ExpirationInDays: 1 }),
          ]),
        },
      }),
    });
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: "Deny",
            Action: "s3:*",
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          }),
        ]),
      },
    });
  });

  test("the key rotates and outlives the stack; the bootstrap secret is generated", () => {
    const { template } = synthesized();
    template.hasResource("AWS::KMS::Key", {
      DeletionPolicy: "Retain",
      Properties: Match.objectLike({ EnableKeyRotation: true }),
    });
    template.hasResourceProperties("AWS::SecretsManager::Secret", {
      GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 48 },
      SecretString: Match.absent(),
    });
  });

  test("logs are kept for a month, not for ever", () => {
    for (const [name, { Properties }] of Object.entries(resourcesOf("AWS::Logs::LogGroup")))
      expect(Properties.RetentionInDays, name).toBe(30);
  });
});

describe("what an idle stack costs", () => {
  test("nothing but what costs nothing while nobody uses it", () => {
    const kinds = new Set(Object.values(resourcesOf()).map(({ Type }) => Type));
    expect([...kinds].filter((kind) => !idleKinds.includes(kind))).toEqual([]);
  });

  test("at most 2 US dollars a month: one key, one secret, four alarms of one metric, one dashboard", () => {
    const sum = Object.entries(idlePrices).reduce(
      (total, [kind, price]) => total + Object.keys(resourcesOf(kind)).length * price,
      0,
    );
    expect(sum).toBeLessThanOrEqual(2);
    expect(Object.keys(resourcesOf("AWS::CloudWatch::Alarm")).length).toBeLessThanOrEqual(4);
    expect(Object.keys(resourcesOf("AWS::CloudWatch::Dashboard"))).toHaveLength(1);
    for (const { Properties } of Object.values(resourcesOf("AWS::CloudWatch::Alarm")))
      expect(Properties.Metrics).toBeUndefined();
  });

  test("the reconciler's schedule is off until work begins, and runs every minute then", () => {
    synthesized().template.hasResourceProperties("AWS::Scheduler::Schedule", {
      State: "DISABLED",
      ScheduleExpression: "rate(1 minute)",
      FlexibleTimeWindow: { Mode: "OFF" },
    });
  });

  test("the stack is far from CloudFormation's limit of 500 resources", () => {
    expect(Object.keys(resourcesOf()).length).toBeLessThan(400);
  });
});
