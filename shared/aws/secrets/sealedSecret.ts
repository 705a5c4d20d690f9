import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { awsClientOptions, config, keptWithConfig } from "../../settings/config.ts";

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

const kms = keptWithConfig(() => new KMSClient(awsClientOptions()));

/** Encrypts with AES-256-GCM under a fresh data key bound to its owner by the encryption context. */
export async function seal(text: string, owner: SecretOwner): Promise<SealedSecret> {
  const key = await kms().send(
    new GenerateDataKeyCommand({
      KeyId: config().SLIPWAY_KMS_KEY,
      KeySpec: "AES_256",
      EncryptionContext: { ...owner },
    }),
  );
  if (key.Plaintext === undefined || key.CiphertextBlob === undefined) throw new Error("KMS's answer has no data key");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.Plaintext, nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return {
    wrappedKey: Buffer.from(key.CiphertextBlob).toString("base64"),
    nonce: nonce.toString("base64"),
    content: content.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
  };
}

/** @throws when the secret was changed or belongs to another owner */
export async function unseal(secret: SealedSecret, owner: SecretOwner): Promise<string> {
  const key = await kms().send(
    new DecryptCommand({
      KeyId: config().SLIPWAY_KMS_KEY,
      CiphertextBlob: Buffer.from(secret.wrappedKey, "base64"),
      EncryptionContext: { ...owner },
    }),
  );
  if (key.Plaintext === undefined) throw new Error("KMS's answer has no data key");
  const decipher = createDecipheriv("aes-256-gcm", key.Plaintext, Buffer.from(secret.nonce, "base64"));
  decipher.setAuthTag(Buffer.from(secret.tag, "base64"));
  return Buffer.concat([decipher.update(Buffer.from(secret.content, "base64")), decipher.final()]).toString("utf8");
}
