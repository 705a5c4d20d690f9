import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { adapters } from "../adapters.ts";

/** A credential as it is stored: encrypted under a data key that KMS wraps. */
export interface SealedSecret {
  wrappedKey: string;
  nonce: string;
  content: string;
  tag: string;
}

/** What a secret belongs to; KMS refuses to unwrap the key for another record. */
export interface SecretOwner {
  record: string;
  field: string;
}

/** Encrypts with AES-256-GCM under a fresh data key bound to its owner by the encryption context. */
export async function seal(text: string, owner: SecretOwner): Promise<SealedSecret> {
  const context = { ...owner };
  const { key, wrapped } = await (adapters()?.keys.generateDataKey(context) ??
    (await import("./keysInAws.ts")).generateDataKey(context));
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return {
    wrappedKey: Buffer.from(wrapped).toString("base64"),
    nonce: nonce.toString("base64"),
    content: content.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
  };
}

/** @throws when the secret was changed or belongs to another owner */
export async function unseal(secret: SealedSecret, owner: SecretOwner): Promise<string> {
  const context = { ...owner };
  const wrapped = Buffer.from(secret.wrappedKey, "base64");
  const key = await (adapters()?.keys.unwrapDataKey(wrapped, context) ??
    (await import("./keysInAws.ts")).unwrapDataKey(wrapped, context));
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(secret.nonce, "base64"));
  decipher.setAuthTag(Buffer.from(secret.tag, "base64"));
  return Buffer.concat([decipher.update(Buffer.from(secret.content, "base64")), decipher.final()]).toString("utf8");
}
