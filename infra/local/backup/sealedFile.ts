import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { isStorageFull } from "../../../shared/base/errors/storageFull.ts";

/** The form of a backup: this line, then salt, nonce, AES-256-GCM of the content, and its tag at the end. */
const firstLine = Buffer.from("slipway backup 1\n");
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = firstLine.length + saltBytes + nonceBytes;

/** A backup that cannot be read; the message says why and what to do. */
export class BackupUnreadable extends Error {
  override readonly name = "BackupUnreadable";
}

/** OWASP's parameters for scrypt: 2^17, 8, 1. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

const derived = promisify(scrypt) as (
  passphrase: string,
  salt: Buffer,
  bytes: number,
  options: typeof cost,
) => Promise<Buffer>;

/** Writes the content, sealed by the passphrase. The file appears when it is complete. */
export async function writeSealed(file: string, passphrase: string, content: Readable): Promise<void> {
  const part = `${file}.part`;
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)];
  const cipher = createCipheriv("aes-256-gcm", await derived(passphrase, salt, 32, cost), nonce);
  cipher.setAAD(firstLine);
  try {
    const output = createWriteStream(part, { mode: 0o600 });
    output.write(Buffer.concat([firstLine, salt, nonce]));
    await pipeline(content, cipher, output, { end: false });
    output.end(cipher.getAuthTag());
    await new Promise<void>((resolve, reject) => output.once("close", resolve).once("error", reject));
    await syncFile(part);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Gives the content to `use`. What `use` has made may be kept only when this returns: the seal is checked at the end.
 * @throws BackupUnreadable when the file is no backup, is damaged, or has another passphrase
 */
export async function readSealed(
  file: string,
  passphrase: string,
  use: (content: Readable) => Promise<void>,
): Promise<void> {
  const { salt, nonce, tag, end } = await readEnds(file);
  const decipher = createDecipheriv("aes-256-gcm", await derived(passphrase, salt, 32, cost), nonce);
  decipher.setAAD(firstLine);
  decipher.setAuthTag(tag);
  const sealed = createReadStream(file, { start: headerBytes, end });
  try {
    await Promise.all([pipeline(sealed, decipher), use(decipher)]);
  } catch (error) {
    if (isStorageFull(error)) throw error;
    throw new BackupUnreadable(`${file} cannot be opened: the passphrase is another one, or the file is damaged`, {
      cause: error,
    });
  }
}

async function readEnds(file: string) {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const header = Buffer.alloc(headerBytes);
    const tag = Buffer.alloc(tagBytes);
    await handle.read(header, 0, headerBytes, 0);
    if (size <= headerBytes + tagBytes || !header.subarray(0, firstLine.length).equals(firstLine))
      throw new BackupUnreadable(`${file} is no backup of Slipway, or one of a newer version`);
    await handle.read(tag, 0, tagBytes, size - tagBytes);
    const saltEnd = firstLine.length + saltBytes;
    return {
      ...{ salt: header.subarray(firstLine.length, saltEnd), nonce: header.subarray(saltEnd), tag },
      end: size - tagBytes - 1,
    };
  } finally {
    await handle.close();
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
