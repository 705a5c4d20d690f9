import { Aws, CfnOutput, Duration, type Environment, Fn, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  type ITableV2,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type IBucket,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { tableDefinition } from "../../../shared/base/store/tableDefinition.ts";
import { accept } from "../accept.ts";
import type { DataBeside, Replica } from "../options/options.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The single table: on demand, restorable to any second of the last 35 days, not deleted with the stack. A replica is the same
 * in another region, a second behind.
 */
class SlipwayTable extends TableV2 {
  constructor(scope: Construct, id: string, replica?: Replica) {
    const { partitionKey, sortKey, ttlAttribute, indexes } = tableDefinition;
    super(scope, id, {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      timeToLiveAttribute: ttlAttribute,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Credentials are sealed under the customer key before they are stored; the rest costs nothing this way.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      globalSecondaryIndexes: indexes.map((index) => ({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        ...(index.attributes.length === 0
          ? { projectionType: ProjectionType.KEYS_ONLY }
          : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }),
      })),
    });
    if (replica === undefined) return;
    // CDK's own `replicas` ask for a stack that names its region.
    const table = this.node.defaultChild as CfnGlobalTable;
    table.addPropertyOverride("StreamSpecification", { StreamViewType: "NEW_AND_OLD_IMAGES" });
    table.addPropertyOverride("Replicas.1", {
      ...{ Region: replica.region, DeletionProtectionEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  }
}

/**
 * Wraps the data keys of sealed credentials. Every credential has a data key of its own, so the key itself
 * is rotated rarely: AWS bills each of the first two rotations like another key, which the idle cost has no room for.
 */
class SealingKey extends Key {
  /**
   * @param alias `alias/` and a name
   * @param multiRegion whether other regions may have it too; never changes once the key exists
   */
  constructor(scope: Construct, id: string, alias: string, multiRegion = false) {
    super(scope, id, {
      multiRegion,
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

/** Texts too large for the table, under their digest; `tmp/` is swept daily. */
class ObjectBucket extends Bucket {
  constructor(scope: Construct, id: string, replica?: Replica) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      lifecycleRules: [
        { id: "forget-replaced", noncurrentVersionExpiration: Duration.days(35), expiredObjectDeleteMarker: true },
        { id: "sweep-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
        { id: "sweep-tmp", prefix: "tmp/", expiration: Duration.days(1) },
      ],
      // Kept but when the deployment that makes it fails: then it is empty.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    if (replica !== undefined) this.replicateTo(replica.bucket);
    accept(this, {
      "AwsSolutions-S1":
        "Only the functions read and write here, every mutation is in Slipway's own operation log, and an access log would be a second bucket to keep and pay.",
    });
  }

  /**
   * Copies what is written into a versioned bucket of another region.
   * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html
   */
  private replicateTo(bucket: string): void {
    const copies = `arn:${Aws.PARTITION}:s3:::${bucket}`;
    const allow = (actions: string[], resources: string[]) => new PolicyStatement({ actions, resources });
    const role = new Role(this, "ReplicationRole", { assumedBy: new ServicePrincipal("s3.amazonaws.com") });
    role.addToPolicy(allow(["s3:GetReplicationConfiguration", "s3:ListBucket"], [this.bucketArn]));
    role.addToPolicy(allow(["s3:GetObjectVersionForReplication", "s3:GetObjectVersionAcl"], [this.arnForObjects("*")]));
    role.addToPolicy(allow(["s3:ReplicateObject", "s3:ReplicateDelete"], [`${copies}/*`]));
    accept(role, {
      "AwsSolutions-IAM5": "Every text is copied, so every text of the one bucket is read and of the other written.",
    });
    (this.node.defaultChild as CfnBucket).replicationConfiguration = {
      role: role.roleArn,
      rules: [
        {
          ...{ id: "replica", status: "Enabled", priority: 0, filter: { prefix: "" } },
          ...{ deleteMarkerReplication: { status: "Enabled" }, destination: { bucket: copies } },
        },
      ],
    };
  }
}

/** Allows the first user to be made, once (decisions 3.1); generated by AWS and never shown by the stack. */
class BootstrapSecret extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Slipway: header X-Bootstrap-Secret of the first user's creation",
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(this, {
      "AwsSolutions-SMG4": "It opens nothing after the first user was made, so there is nothing to rotate.",
    });
  }
}

/** What an installation keeps: records, texts, the key that seals credentials, and the secret of the first user. */
export interface Stored {
  table: Pick<
    ITableV2,
    "tableName" | "tableArn" | "metric" | "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits"
  >;
  bucket: Pick<IBucket, "bucketName" | "bucketArn" | "arnForObjects" | "node">;
  key: Pick<IKey, "keyArn">;
  bootstrapSecret: Pick<ISecret, "secretArn">;
}

/** Name of the table and of the bucket, ARN of the key and of the secret. */
type Names = Readonly<Record<keyof Stored, string>>;

/** Makes what an installation keeps in the stack of what runs. */
export function storedInside(stack: Stack): Stored {
  const made = {
    table: new SlipwayTable(stack, "Table"),
    bucket: new ObjectBucket(stack, "Objects"),
    key: new SealingKey(stack, "SealingKey", `alias/${stack.stackName}`),
    bootstrapSecret: new BootstrapSecret(stack, "BootstrapSecret"),
  };
  new CfnOutput(stack, "BootstrapSecretName", { value: made.bootstrapSecret.secretName });
  new CfnOutput(stack, "TableName", { value: made.table.tableName });
  new CfnOutput(stack, "BucketName", { value: made.bucket.bucketName });
  return made;
}

/**
 * Makes a stack of what the installation keeps, which neither a removal nor a failed deployment of what runs reaches. What
 * exists already is not made: a restored table, a bucket that a copy was made into, a company's own key.
 */
export function storedBeside(stack: Stack, { existing, replica }: DataBeside, env: Environment | undefined): Stored {
  const installation = stack.stackName;
  const data = new Stack(stack.node.scope as Construct, `${installation}-data`, {
    ...(env !== undefined && { env }),
    description: "Slipway: records, texts and the key of an installation",
    terminationProtection: true,
  });
  stack.addStackDependency(data);
  /** An output whose value what runs uses by its name, whatever else is in the other stack. */
  const shared = (id: string, value: string): string => {
    const exportName = `${data.stackName}-${id}`;
    new CfnOutput(data, id, { value, exportName });
    return Fn.importValue(exportName);
  };
  const sealingKey = () => new SealingKey(data, "SealingKey", `alias/${installation}`, replica !== undefined);
  return named(stack, {
    table: existing.table ?? shared("TableName", new SlipwayTable(data, "Table", replica).tableName),
    bucket: existing.bucket ?? shared("BucketName", new ObjectBucket(data, "Objects", replica).bucketName),
    key: existing.key ?? shared("KeyArn", sealingKey().keyArn),
    bootstrapSecret: shared("BootstrapSecretName", new BootstrapSecret(data, "BootstrapSecret").secretArn),
  });
}

function named(scope: Construct, { table, bucket, key, bootstrapSecret }: Names): Stored {
  return {
    table: TableV2.fromTableName(scope, "Table", table),
    bucket: Bucket.fromBucketName(scope, "Objects", bucket),
    key: { keyArn: key },
    bootstrapSecret: { secretArn: bootstrapSecret },
  };
}
