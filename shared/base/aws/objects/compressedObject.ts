import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { openObject, putObject } from "./objects.ts";

/** Stores a text compressed under a key of the caller's; what was there is replaced. */
export async function putCompressed(objectKey: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of Readable.from(content).compose(createGzip()) as AsyncIterable<Uint8Array>) parts.push(part);
  await putObject({
    key: objectKey,
    content: Buffer.concat(parts),
    contentType: "text/plain; charset=utf-8",
    contentEncoding: "gzip",
  });
}

/** The text under a key, as it comes; undefined when there is none. */
export async function openCompressed(objectKey: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const content = await openObject(objectKey);
  return content?.compose(createGunzip()) as AsyncIterable<Uint8Array> | undefined;
}
