import { randomUUID } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  type ReadStream,
  readdirSync,
  rmSync,
} from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** What is kept beside the content: its type and encoding. */
export type ObjectHeaders = Record<string, string>;

export interface OpenObject {
  content: ReadStream;
  sizeBytes: number;
  headers: ObjectHeaders;
}

export type ObjectFolder = ReturnType<typeof openObjectFolder>;

/** As much as S3 takes at once. */
const LONGEST_BYTES = 5 * 1024 ** 3;
const LONGEST_KEY_BYTES = 1024;
const BUCKET = "slipway";

/**
 * Objects in a folder: every body is a file of its own under a name of ours, so a key can never reach a path, and the
 * row in the database makes it an object. Body on disk first, row second, old body deleted last; what a crash leaves
 * between these has no row and is removed at the next start.
 */
export function openObjectFolder(database: DatabaseSync, folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const select = database.prepare("SELECT blob, size_bytes, headers FROM objects WHERE bucket = ? AND key = ?");
  const upsert = database.prepare(
    `INSERT OR REPLACE INTO objects (bucket, key, blob, size_bytes, etag, crc32, modified_ms, headers)
    VALUES (?, ?, ?, ?, '', '', ?, ?)`,
  );
  const list = database.prepare(`SELECT key, size_bytes FROM objects
    WHERE bucket = ? AND key >= ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT 1000`);
  const forget = database.prepare("DELETE FROM objects WHERE bucket = ? AND key = ?");
  removeOrphans(database, folder);

  return {
    /** @throws Error when the content ends early, is larger than S3 takes, or its key is */
    async put(key: string, content: Readable, headers: ObjectHeaders): Promise<void> {
      if (Buffer.byteLength(key) > LONGEST_KEY_BYTES)
        throw new Error("the key of an object is longer than 1,024 bytes");
      const blob = randomUUID();
      const file = path.join(folder, blob);
      try {
        const sizeBytes = await writeBlob(file, folder, content);
        const before = select.get(BUCKET, key);
        upsert.run(BUCKET, key, blob, sizeBytes, Date.now(), JSON.stringify(headers));
        if (before !== undefined) rmSync(path.join(folder, String(before.blob)), { force: true });
      } catch (error) {
        if (select.get(BUCKET, key)?.blob !== blob) rmSync(file, { force: true });
        throw error;
      }
    },
    /** The content stays readable while the object is replaced. */
    open(key: string): OpenObject | undefined {
      const row = select.get(BUCKET, key);
      if (row === undefined) return undefined;
      const file = path.join(folder, String(row.blob));
      return {
        content: createReadStream(file, { fd: openSync(file, "r") }),
        sizeBytes: Number(row.size_bytes),
        headers: JSON.parse(String(row.headers)),
      };
    },
    /** The row first: a body that a kill leaves behind is an orphan. A client that reads it now reads it to its end. */
    remove(key: string): void {
      const row = select.get(BUCKET, key);
      forget.run(BUCKET, key);
      if (row !== undefined) rmSync(path.join(folder, String(row.blob)), { force: true });
    },
    /** The first thousand objects of a prefix in the order of their keys' UTF-8 bytes. */
    list: (prefix: string): { key: string; sizeBytes: number }[] =>
      list
        .all(BUCKET, prefix, prefix, prefix)
        .map((row) => ({ key: String(row.key), sizeBytes: Number(row.size_bytes) })),
  };
}

async function writeBlob(file: string, folder: string, content: Readable): Promise<number> {
  let sizeBytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > LONGEST_BYTES) throw new Error("an object is larger than 5 GiB");
      yield chunk;
    }
  }
  await pipeline(content, measured, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
  const directory = await open(folder);
  await directory.sync();
  await directory.close();
  return sizeBytes;
}

function removeOrphans(database: DatabaseSync, folder: string): void {
  const known = new Set(
    database
      .prepare("SELECT blob FROM objects")
      .all()
      .map((row) => row.blob),
  );
  for (const file of readdirSync(folder)) {
    if (!known.has(file)) rmSync(path.join(folder, file), { force: true });
  }
}
