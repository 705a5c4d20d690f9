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

/** Makes what an installation keeps in the stack of what runs. @param installation the name of that stack */
export function storedInside(scope: Construct, installation: string): Stored {
  return {
    table: new SlipwayTable(scope, "Table"),
    bucket: new ObjectBucket(scope, "Objects"),
    key: new SealingKey(scope, "SealingKey", `alias/${installation}`),
    bootstrapSecret: new BootstrapSecret(scope, "BootstrapSecret"),
  };
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
  /** Exports have names of their own, so that what runs names the same ones whatever is in the other stack. */
  const shared = (id: string, value: string): string => {
    const exportName = `${data.stackName}-${id}`;
    new CfnOutput(data, id, { value, exportName });
    return Fn.importValue(exportName);
  };
  return named(stack, {
    table: existing.table ?? shared("Table-name", new SlipwayTable(data, "Table").tableName),
    bucket: existing.bucket ?? shared("Bucket-name", new ObjectBucket(data, "Objects").bucketName),
    key: existing.key ?? shared("Key-arn", new SealingKey(data, "SealingKey", `alias/${installation}`).keyArn),
    bootstrapSecret: shared("BootstrapSecret-arn", new BootstrapSecret(data, "BootstrapSecret").secretArn),
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
