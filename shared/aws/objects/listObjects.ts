import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { config } from "../../settings/config.ts";
import { s3 } from "./s3.ts";

/** The first thousand objects below a prefix, in the order of their keys. */
export async function listObjects(prefix: string): Promise<{ key: string; sizeBytes: number }[]> {
  const { Contents = [] } = await s3().send(
    new ListObjectsV2Command({ Bucket: config().SLIPWAY_BUCKET, Prefix: prefix }),
  );
  return Contents.map(({ Key = "", Size = 0 }) => ({ key: Key, sizeBytes: Size }));
}
