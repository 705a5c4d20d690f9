import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { accept } from "../accept.ts";

/** Texts too large for the table, under their digest; `tmp/` is swept daily. */
export class ObjectBucket extends Bucket {
  constructor(scope: Construct, id: string) {
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
    accept(this, {
      "AwsSolutions-S1":
        "Only the functions read and write here, every mutation stands in Slipway's own operation log, and an access log would be a second bucket to keep and pay.",
    });
  }
}
