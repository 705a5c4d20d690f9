import { createHash, randomUUID } from "node:crypto";
import { createWriteStream, mkdirSync, type ReadStream, readdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { AwsError } from "../awsError.ts";

/** One object as stored. `headers` are kept and given back as they came: content type, encoding, user metadata. */
export type StoredObject = {
  bucket: string;
  key: string;
  sizeBytes: number;
  etag: string;
  crc32: string;
  modifiedMs: number;
  headers: Record<string, string>;
};

export type PutOptions = {
  headers: Record<string, string>;
  ifNoneMatch: boolean;
  /** The base64 CRC-32 the sender computed; asked for after the body was read, for it may stand in the trailer. */
  expectedCrc32(): string | undefined;
};

export type ObjectStore = ReturnType<typeof createObjectStore>;

const COLUMNS = "bucket, key, blob, size_bytes, etag, crc32, modified_ms, headers";

/**
 * Objects in a folder: every body is a file of its own under a name of ours, so a key can never reach a path, and the
 * row in the database makes it an object. Body on disk first, row second, old body deleted last; what a crash leaves
 * between these has no row and is removed at the next start.
 */
export function createObjectStore(database: DatabaseSync, folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const select = database.prepare(`SELECT ${COLUMNS} FROM objects WHERE bucket = ? AND key = ?`);
  const upsert = database.prepare(`INSERT OR REPLACE INTO objects (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const remove = database.prepare("DELETE FROM objects WHERE bucket = ? AND key = ?");
  const list = database.prepare(`SELECT ${COLUMNS} FROM objects
    WHERE bucket = ? AND key > ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT ?`);
  removeOrphans(database, folder);

  const find = (bucket: string, key: string) => {
    const row = select.get(bucket, key);
    return row && { object: toObject(row), file: path.join(folder, String(row.blob)) };
  };

  return {
    /** @throws AwsError PreconditionFailed (412), BadDigest */
    async put(bucket: string, key: string, body: Readable, options: PutOptions): Promise<StoredObject> {
      if (options.ifNoneMatch && find(bucket, key)) throw preconditionFailed();
      const blob = randomUUID();
      const file = path.join(folder, blob);
      try {
        const written = await writeBlob(file, folder, body);
        const expected = options.expectedCrc32();
        if (expected !== undefined && expected !== written.crc32) {
          throw new AwsError("BadDigest", "The CRC32 you specified did not match what was received.");
        }
        const before = find(bucket, key);
        if (options.ifNoneMatch && before) throw preconditionFailed();
        const object = { bucket, key, ...written, modifiedMs: Date.now(), headers: options.headers };
        const { sizeBytes, etag, crc32, modifiedMs } = object;
        upsert.run(bucket, key, blob, sizeBytes, etag, crc32, modifiedMs, JSON.stringify(options.headers));
        if (before) rmSync(before.file, { force: true });
        return object;
      } catch (error) {
        if (select.get(bucket, key)?.blob !== blob) rmSync(file, { force: true });
        throw error;
      }
    },
    head: (bucket: string, key: string): StoredObject | undefined => find(bucket, key)?.object,
    /** Opens the body from `first` to `last` (both inclusive); it stays readable while the object is replaced. */
    async read(bucket: string, key: string, first: number, last: number): Promise<ReadStream> {
      const found = find(bucket, key);
      if (!found) throw new AwsError("NoSuchKey", "The specified key does not exist.", 404);
      const handle = await open(found.file);
      return handle.createReadStream({ start: first, end: last });
    },
    remove(bucket: string, key: string): void {
      const found = find(bucket, key);
      remove.run(bucket, key);
      if (found) rmSync(found.file, { force: true });
    },
    /** Objects of a prefix in the order of their keys' UTF-8 bytes, beginning behind `after`. */
    list(bucket: string, prefix: string, after: string, limit: number): StoredObject[] {
      return list.all(bucket, after, prefix, prefix, limit).map(toObject);
    },
  };
}

async function writeBlob(file: string, folder: string, body: Readable) {
  const md5 = createHash("md5");
  let sum = 0;
  let sizeBytes = 0;
  async function* measure(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      md5.update(chunk);
      sum = crc32(chunk, sum);
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  await pipeline(body, measure, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
  const directory = await open(folder);
  await directory.sync();
  await directory.close();
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(sum);
  return { sizeBytes, etag: `"${md5.digest("hex")}"`, crc32: checksum.toString("base64") };
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

function preconditionFailed(): AwsError {
  return new AwsError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412);
}

function toObject(row: Record<string, unknown>): StoredObject {
  return {
    bucket: String(row.bucket),
    key: String(row.key),
    sizeBytes: Number(row.size_bytes),
    etag: String(row.etag),
    crc32: String(row.crc32),
    modifiedMs: Number(row.modified_ms),
    headers: JSON.parse(String(row.headers)),
  };
}
