import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { GetObjectCommand, PutObjectCommand, S3ServiceException } from "@aws-sdk/client-s3";
import { config } from "../../settings/config.ts";
import { s3 } from "./s3.ts";

/** Stores a text compressed under a key of the caller's; what stood there is replaced. */
export async function putCompressed(objectKey: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of Readable.from(content).compose(createGzip()) as AsyncIterable<Uint8Array>) parts.push(part);
  await s3().send(
    new PutObjectCommand({
      Bucket: config().SLIPWAY_BUCKET,
      Key: objectKey,
      Body: Buffer.concat(parts),
      ContentType: "text/plain; charset=utf-8",
      ContentEncoding: "gzip",
    }),
  );
}

/** The text under a key, as it comes; undefined when there is none. */
export async function openCompressed(objectKey: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: config().SLIPWAY_BUCKET, Key: objectKey }));
    if (Body === undefined) throw new Error(`object ${objectKey} has no content`);
    return (Body as Readable).compose(createGunzip()) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** To whoever may not list a bucket, S3 says of an object that is not there that it may not be read. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === "NoSuchKey" || error.name === "AccessDenied");
}
