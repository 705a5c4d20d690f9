import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { tableDefinition } from "../../../shared/base/store/tableDefinition.ts";
import { readRepositoryFile } from "../../structure/sourceFiles.ts";
import { resourcesOf, synthesized, synthesizedWith } from "./synthesized.ts";

const guide = readRepositoryFile("docs/aws.md");

/** What may stand in the stack. Everything here costs nothing while nobody uses it, but for the kinds counted below. */
const idleKinds = [
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  // Of a WebSocket API messages and the minutes of connections are billed.
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::RouteResponse",
  "AWS::ApiGatewayV2::Stage",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::DynamoDB::GlobalTable",
  "AWS::IAM::Policy",
  "AWS::IAM::Role",
  "AWS::KMS::Alias",
  "AWS::KMS::Key",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::Function",
  "AWS::Lambda::LayerVersion",
  "AWS::Lambda::Permission",
  // A bus costs by the event, a rule on what AWS itself tells nothing.
  "AWS::Events::EventBus",
  "AWS::Events::Rule",
  "AWS::Logs::LogGroup",
  "AWS::S3::Bucket",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::Topic",
  // A queue costs by the message.
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
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

/** A first deployment that fails leaves nothing behind that costs. */
const keptOnceMade = { DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain" };

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
      ...keptOnceMade,
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
      ...keptOnceMade,
      Properties: Match.objectLike({ EnableKeyRotation: true }),
    });
    template.hasResourceProperties("AWS::SecretsManager::Secret", {
      GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 48 },
      SecretString: Match.absent(),
    });
  });

  test("a replica has the table, every text, and a key that may be copied", () => {
    const replica = { region: "eu-west-1", bucket: "slipway-copies" };
    const { template } = synthesizedWith({ replica });
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      Replicas: [
        Match.objectLike({ Region: { Ref: "AWS::Region" } }),
        {
          Region: "eu-west-1",
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
    });
    const copies = { "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, ":s3:::slipway-copies"]] };
    template.hasResourceProperties("AWS::S3::Bucket", {
      ReplicationConfiguration: {
        Rules: [Match.objectLike({ Status: "Enabled", Destination: { Bucket: copies }, Filter: { Prefix: "" } })],
      },
    });
    template.hasResourceProperties("AWS::KMS::Key", { MultiRegion: true });
    // A key that exists would have to be replaced, so one without a replica stays as it is.
    expect(resourcesOf("AWS::KMS::Key")).not.toEqual({});
    for (const { Properties } of Object.values(resourcesOf("AWS::KMS::Key")))
      expect(Properties.MultiRegion ?? false).toBe(false);
  });

  test.each([
    [
      "a bucket of yours",
      { replica: { region: "eu-west-1", bucket: "copies" }, data: { bucket: "ours" } },
      /replica copies what the stack makes/,
    ],
    [
      "records inside",
      { replica: { region: "eu-west-1", bucket: "copies" }, data: "inside" },
      /replica copies what the stack makes/,
    ],
    [
      "no region",
      { replica: { region: "Ireland", bucket: "copies" } },
      /replica\.region must be a region of AWS, such as eu-west-1/,
    ],
    ["no bucket", { replica: { region: "eu-west-1" } }, /replica\.bucket must be the name of a bucket/],
  ])("a replica is refused with %s", (_, context, problem) => {
    expect(() => synthesizedWith(context)).toThrow(problem);
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

  test("one key, one secret, four alarms and one dashboard", () => {
    const counts = Object.keys(idlePrices).map((kind) => Object.keys(resourcesOf(kind)).length);
    expect(counts).toEqual([1, 1, 4]);
    expect(Object.keys(resourcesOf("AWS::CloudWatch::Dashboard"))).toHaveLength(1);
  });

  test("one sum wherever it is told, of what stands in the stack, and at most 2 US dollars a month", () => {
    const [, section = ""] = guide.split("## What it costs while nobody uses it\n");
    const rows = [...section.matchAll(/^\| (?!\*|What|-)(.*) \| .* \| (\d+\.\d\d) \|$/gm)];
    const costs = new Map(rows.map(([, what = "", price]) => [what, Number(price)]));
    const sum = [...costs.values()].reduce((total, price) => total + price, 0).toFixed(2);
    expect(/^\| \*\*Sum\*\* \| \| \*\*(.*)\*\* \|$/m.exec(section)?.[1]).toBe(sum);
    expect(/\*\*(.*) USD a month\*\*/.exec(readRepositoryFile("README.md"))?.[1]).toBe(sum);
    expect(Number(sum)).toBeLessThanOrEqual(2);
    const counted = Object.entries(idlePrices).map(([kind, price]) => price * Object.keys(resourcesOf(kind)).length);
    expect([...costs.values()].slice(0, counted.length)).toEqual(counted.map((price) => Number(price.toFixed(2))));
  });

  test("the reconciler's schedule is off until work begins, and runs every minute then", () => {
    synthesized().template.hasResourceProperties("AWS::Scheduler::Schedule", {
      State: "DISABLED",
      ScheduleExpression: "rate(1 minute)",
      FlexibleTimeWindow: { Mode: "OFF" },
    });
  });

  test("the stack stays below CloudFormation's limit of 500 resources, with room for two more functions", () => {
    expect(Object.keys(resourcesOf()).length).toBeLessThan(475);
  });
});
