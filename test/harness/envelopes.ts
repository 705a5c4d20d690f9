import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

export const callbackKeys = {
  encrypt_key: "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C",
  verification_token: "callback-token",
};

const signed = (token: string, ...parts: string[]) =>
  createHash("sha1")
    .update([token, ...parts].sort().join(""))
    .digest("hex");

/** As DingTalk and WeCom send callbacks: padded to 32 bytes, encrypted under the 43 characters, signed with the token. */
export function envelopeOf(text: string, receiver: string, changes: Partial<typeof callbackKeys> = {}) {
  const { encrypt_key, verification_token } = { ...callbackKeys, ...changes };
  const key = Buffer.from(`${encrypt_key}=`, "base64");
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  const plain = Buffer.concat([randomBytes(16), length, bytes, Buffer.from(receiver)]);
  const pad = 32 - (plain.length % 32);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([plain, Buffer.alloc(pad, pad)]);
  const encrypted = Buffer.concat([cipher.update(padded), cipher.final()]).toString("base64");
  const [timestamp, nonce] = ["1760000000", "nonce"];
  return { timestamp, nonce, encrypted, signature: signed(verification_token, timestamp, nonce, encrypted) };
}

/** What an encrypted answer says; fails unless it is signed. */
export function openedAnswer(answer: { msg_signature: string; timeStamp: string; nonce: string; encrypt: string }) {
  const { msg_signature, timeStamp, nonce, encrypt } = answer;
  if (signed(callbackKeys.verification_token, timeStamp, nonce, encrypt) !== msg_signature)
    throw new Error("the answer is not signed");
  const key = Buffer.from(`${callbackKeys.encrypt_key}=`, "base64");
  const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(Buffer.from(encrypt, "base64")), decipher.final()]);
  return plain.subarray(20, 20 + plain.readUInt32BE(16)).toString("utf8");
}
