import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { openObject, putObject } from "./objects.ts";

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** Text kept beside its item: inline up to 64 KB, otherwise in the object store under its digest. */
export type StoredText = { inline: string } | { objectKey: string; sizeBytes: number };

const maxInlineBytes = 64 * 1024;

/**
 * Stores a text. The object key is the SHA-256 of the text, so that storing twice changes nothing and a key, once
 * handed out, never changes its content.
 * @param inlineBytes longer ones go to the object store: fewer for what is read much more often than it is written
 * @param folder of texts that go with one record, and of no others; ends with a slash
 */
export async function storeText(
  text: string,
  { inlineBytes = maxInlineBytes, folder = "" }: { inlineBytes?: number; folder?: string } = {},
): Promise<StoredText> {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= inlineBytes) return { inline: text };
  const objectKey = `text/${folder}${createHash("sha256").update(text).digest("hex")}.gz`;
  await putObject({
    key: objectKey,
    content: await compress(text),
    contentType: "text/plain; charset=utf-8",
    contentEncoding: "gzip",
  });
  return { objectKey, sizeBytes };
}

/** The text as it was stored, byte for byte. */
export async function readStoredText(stored: StoredText): Promise<string> {
  if ("inline" in stored) return stored.inline;
  return (await expand(await readStoredBytes(stored.objectKey))).toString("utf8");
}

/** Stores bytes under a key that follows from them. */
export async function storeBytes(objectKey: string, bytes: Buffer, contentType: string): Promise<void> {
  await putObject({ key: objectKey, content: bytes, contentType });
}

/** The bytes under a key as they were stored. @throws Error when there is none */
export async function readStoredBytes(objectKey: string): Promise<Buffer> {
  const content = await openObject(objectKey);
  if (content === undefined) throw new Error(`object ${objectKey} does not exist`);
  return buffer(content);
}
