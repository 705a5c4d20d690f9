import { S3Client } from "@aws-sdk/client-s3";
import { awsRegion, keptWithConfig } from "../../settings/config.ts";

/** The one client of the object store in this process. */
export const s3 = keptWithConfig(() => new S3Client({ ...awsRegion(), forcePathStyle: true }));
