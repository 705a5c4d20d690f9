import { S3Client } from "@aws-sdk/client-s3";
import { awsClientOptions } from "../../config.ts";

let client: S3Client | undefined;

/** The one client of the object store in this process. */
export function s3(): S3Client {
  client ??= new S3Client({ ...awsClientOptions(), forcePathStyle: true });
  return client;
}
