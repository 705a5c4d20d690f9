import { randomBytes } from "node:crypto";
import * as z from "zod";
import { arns } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import type { JsonOperations } from "../jsonService.ts";
import { parseInput } from "../service.ts";
import type { LocalKey } from "./keyFile.ts";

const base64 = (minBytes: number, maxBytes: number) =>
  z
    .base64()
    .transform((text): Uint8Array => Buffer.from(text, "base64"))
    .refine((bytes) => bytes.length >= minBytes && bytes.length <= maxBytes, `${minBytes} to ${maxBytes} bytes`);
const context = z.record(z.string(), z.string()).default({});
const encryptInput = z.object({ KeyId: z.string(), Plaintext: base64(1, 4096), EncryptionContext: context });
const decryptInput = z.object({
  KeyId: z.string().optional(),
  CiphertextBlob: base64(1, 6144),
  EncryptionContext: context,
});
const dataKeyInput = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(["AES_128", "AES_256"]).optional(),
  NumberOfBytes: z.int().min(1).max(1024).optional(),
  EncryptionContext: context,
});

/** The operations of KMS over the machine's one key (client-kms: Encrypt, Decrypt, GenerateDataKey). */
export function kmsOperations(key: LocalKey): JsonOperations {
  const arn = arns.key(key.id);
  const checkKey = (id: string | undefined): void => {
    if (id !== undefined && id !== key.id && id !== arn) throw new AwsError("NotFoundException", `no key ${id}`);
  };
  return {
    Encrypt(body) {
      const input = parseInput(encryptInput, body);
      checkKey(input.KeyId);
      const blob = key.encrypt(input.Plaintext, input.EncryptionContext).toString("base64");
      return { CiphertextBlob: blob, KeyId: arn, EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
    },
    Decrypt(body) {
      const input = parseInput(decryptInput, body);
      checkKey(input.KeyId);
      const plaintext = key.decrypt(input.CiphertextBlob, input.EncryptionContext).toString("base64");
      return { Plaintext: plaintext, KeyId: arn, EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
    },
    GenerateDataKey(body) {
      const input = parseInput(dataKeyInput, body);
      checkKey(input.KeyId);
      if ((input.KeySpec === undefined) === (input.NumberOfBytes === undefined)) {
        throw new AwsError("ValidationException", "exactly one of KeySpec and NumberOfBytes");
      }
      const plaintext = randomBytes(input.NumberOfBytes ?? (input.KeySpec === "AES_128" ? 16 : 32));
      const blob = key.encrypt(plaintext, input.EncryptionContext).toString("base64");
      return { CiphertextBlob: blob, Plaintext: plaintext.toString("base64"), KeyId: arn };
    },
  };
}
