import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { config } from "../../settings/config.ts";
import { s3 } from "./s3.ts";

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** Text kept beside its item: inline up to 64 KB, otherwise in the object store under its digest. */
export type StoredText = { inline: string } | { objectKey: string; sizeBytes: number };

const maxInlineBytes = 64 * 1024;

/**
 * Stores a text. The object key is the SHA-256 of the text, so that storing twice changes nothing and a key, once
 * handed out, never changes its content.
 */
export async function storeText(text: string): Promise<StoredText> {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= maxInlineBytes) return { inline: text };
  const objectKey = `text/${createHash("sha256").update(text).digest("hex")}.gz`;
  await s3().send(
    new PutObjectCommand({
      Bucket: config().SLIPWAY_BUCKET,
      Key: objectKey,
      Body: await compress(text),
      ContentType: "text/plain; charset=utf-8",
      ContentEncoding: "gzip",
    }),
  );
  return { objectKey, sizeBytes };
}

/** The text as it was stored, byte for byte. */
export async function loadText(stored: StoredText): Promise<string> {
  if ("inline" in stored) return stored.inline;
  return (await expand(await loadBytes(stored.objectKey))).toString("utf8");
}

/** Stores bytes under a key that follows from them. */
export async function storeBytes(objectKey: string, bytes: Buffer, contentType: string): Promise<void> {
  await s3().send(
    new PutObjectCommand({ Bucket: config().SLIPWAY_BUCKET, Key: objectKey, Body: bytes, ContentType: contentType }),
  );
}

/** The bytes under a key as they were stored. */
export async function loadBytes(objectKey: string): Promise<Buffer> {
  const answer = await s3().send(new GetObjectCommand({ Bucket: config().SLIPWAY_BUCKET, Key: objectKey }));
  const bytes = await answer.Body?.transformToByteArray();
  if (bytes === undefined) throw new Error(`object ${objectKey} has no content`);
  return Buffer.from(bytes);
}
