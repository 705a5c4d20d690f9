import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import type { EncryptionContext } from "../../../../shared/base/aws/adapters.ts";

/** The one key of this machine. */
export type LocalKey = {
  id: string;
  /** A key of 32 bytes for one use, always the same for this key. */
  derive(use: string): Buffer;
  encrypt(plaintext: Uint8Array, context?: EncryptionContext): Buffer;
  /** @throws Error when blob or context do not fit */
  decrypt(blob: Uint8Array, context?: EncryptionContext): Buffer;
};

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Reads the key from `file`, or makes it (mode 0600, complete or not there at all) when there is none. */
export function openKeyFile(file: string): LocalKey {
  const key = readOrMake(file);
  if (key.length !== 32) throw new Error(`${file} is damaged: a key has 32 bytes, this file has ${key.length}`);
  return {
    id: keyId(key),
    derive: (use) => Buffer.from(hkdfSync("sha256", key, "", use, 32)),
    encrypt: (...args) => encrypt(key, ...args),
    decrypt: (...args) => decrypt(key, ...args),
  };
}

function readOrMake(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const key = randomBytes(32);
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(temporary, "wx", 0o600);
  writeSync(descriptor, key);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, file);
  return key;
}

function keyId(key: Buffer): string {
  const hex = Buffer.from(hkdfSync("sha256", key, "", "key id", 16)).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function encrypt(key: Buffer, plaintext: Uint8Array, context: EncryptionContext = {}): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(canonical(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, blob: Uint8Array, context: EncryptionContext = {}): Buffer {
  try {
    const bytes = Buffer.from(blob);
    if (bytes[0] !== VERSION) throw new Error("unknown version");
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(canonical(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new Error("the ciphertext, the key or the encryption context does not fit");
  }
}

/** Order of the pairs must not matter, and no two contexts may share a form. */
function canonical(context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}
