import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { sameText } from "../sameText.ts";
import { CallbackRefused } from "../vendorErrors.ts";

/** How DingTalk and WeCom sign and encrypt callbacks; `encryptKey` is the 43 characters that they show. */
export interface CallbackKeys {
  encryptKey: string;
  verificationToken: string;
}

interface Envelope {
  timestamp: string;
  nonce: string;
  encrypted: string;
}

/** They pad to 32 bytes, where AES would to 16. */
const blockBytes = 32;
const headBytes = 16;

/** SHA-1 over the sorted parts, as hex. */
function signatureOf(token: string, { timestamp, nonce, encrypted }: Envelope): string {
  return createHash("sha1").update([token, timestamp, nonce, encrypted].sort().join("")).digest("hex");
}

/**
 * Checks the signature, then decrypts.
 * @returns the text, and for whom it is said to be
 * @throws CallbackRefused
 */
export function openEnvelope(keys: CallbackKeys, envelope: Envelope, signature: string) {
  const { verificationToken } = keys;
  if (verificationToken === "" || !sameText(signature, signatureOf(verificationToken, envelope)))
    throw new CallbackRefused("the signature is wrong");
  const key = keyOf(keys);
  try {
    const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, headBytes)).setAutoPadding(false);
    const padded = Buffer.concat([decipher.update(Buffer.from(envelope.encrypted, "base64")), decipher.final()]);
    const plain = padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
    const end = headBytes + 4 + plain.readUInt32BE(headBytes);
    if (end > plain.length) throw new RangeError("the text is longer than the envelope");
    return {
      text: plain.subarray(headBytes + 4, end).toString("utf8"),
      receiver: plain.subarray(end).toString("utf8"),
    };
  } catch {
    throw new CallbackRefused("the body cannot be decrypted");
  }
}

/** An answer in the form of what came in. */
export function sealEnvelope(keys: CallbackKeys, text: string, receiver: string) {
  const key = keyOf(keys);
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  const plain = Buffer.concat([randomBytes(headBytes), length, bytes, Buffer.from(receiver)]);
  const pad = blockBytes - (plain.length % blockBytes);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, headBytes)).setAutoPadding(false);
  const encrypted = Buffer.concat([cipher.update(Buffer.concat([plain, Buffer.alloc(pad, pad)])), cipher.final()]);
  const envelope: Envelope = {
    timestamp: String(Date.now()),
    nonce: randomBytes(8).toString("hex"),
    encrypted: encrypted.toString("base64"),
  };
  return { ...envelope, signature: signatureOf(keys.verificationToken, envelope) };
}

function keyOf({ encryptKey }: CallbackKeys): Buffer {
  return Buffer.from(`${encryptKey}=`, "base64");
}
