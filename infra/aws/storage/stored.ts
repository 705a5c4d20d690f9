import { CfnOutput, type Environment, Fn, Stack } from "aws-cdk-lib";
import { type ITableV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Bucket, type IBucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { ExistingData } from "../options/options.ts";
import { BootstrapSecret } from "./bootstrapSecret.ts";
import { ObjectBucket } from "./objectBucket.ts";
import { SealingKey } from "./sealingKey.ts";
import { SlipwayTable } from "./slipwayTable.ts";

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
export function storedBeside(stack: Stack, existing: ExistingData, env: Environment | undefined): Stored {
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
  return named(stack, {
    table: existing.table ?? shared("TableName", new SlipwayTable(data, "Table").tableName),
    bucket: existing.bucket ?? shared("BucketName", new ObjectBucket(data, "Objects").bucketName),
    key: existing.key ?? shared("KeyArn", new SealingKey(data, "SealingKey", `alias/${installation}`).keyArn),
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
