import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { awsRegion, config, keptWithConfig } from "../../settings/config.ts";
import type { KeyService } from "../adapters.ts";

const kms = keptWithConfig(() => new KMSClient(awsRegion()));

export const generateDataKey: KeyService["generateDataKey"] = async (EncryptionContext) => {
  const { Plaintext: key, CiphertextBlob: wrapped } = await kms().send(
    new GenerateDataKeyCommand({ KeyId: config().SLIPWAY_KMS_KEY, KeySpec: "AES_256", EncryptionContext }),
  );
  if (key === undefined || wrapped === undefined) throw new Error("KMS's answer has no data key");
  return { key, wrapped };
};

export const unwrapDataKey: KeyService["unwrapDataKey"] = async (CiphertextBlob, EncryptionContext) => {
  const { Plaintext: key } = await kms().send(
    new DecryptCommand({ KeyId: config().SLIPWAY_KMS_KEY, CiphertextBlob, EncryptionContext }),
  );
  if (key === undefined) throw new Error("KMS's answer has no data key");
  return key;
};
