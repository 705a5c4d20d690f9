import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand } from "@aws-sdk/client-kms";
import { expect, it } from "vitest";
import { startTestAws, temporaryFolder } from "./harness.ts";

const Plaintext = Buffer.from("kubeconfig");
const EncryptionContext = { record: "cluster/1", field: "kubeconfig" };

it("decrypts only under the same context, in whatever order, also after a restart", async () => {
  const dataDir = temporaryFolder();
  const before = await startTestAws({ dataDir });
  const { CiphertextBlob } = await before.kms.send(
    new EncryptCommand({ KeyId: before.keyId, Plaintext, EncryptionContext }),
  );
  await before.close();
  const { kms } = await startTestAws({ dataDir });
  const reordered = { field: "kubeconfig", record: "cluster/1" };
  const open = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: reordered }));
  expect(Buffer.from(open.Plaintext!)).toEqual(Plaintext);
  const wrong = [{}, { record: "cluster/2", field: "kubeconfig" }, { ...EncryptionContext, more: "x" }];
  for (const EncryptionContext of wrong) {
    const decrypt = kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
    await expect(decrypt).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  }
});

it("refuses a blob of which any byte was changed", async () => {
  const { kms, keyId } = await startTestAws();
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId: keyId, Plaintext, EncryptionContext }));
  for (let index = 0; index < CiphertextBlob!.length; index += 1) {
    const damaged = Uint8Array.from(CiphertextBlob!);
    damaged[index]! ^= 1;
    const decrypt = kms.send(new DecryptCommand({ CiphertextBlob: damaged, EncryptionContext }));
    await expect(decrypt).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  }
});

it("gives data keys of 256 bits that the blob brings back", async () => {
  const { kms, keyId } = await startTestAws();
  const key = await kms.send(new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: "AES_256", EncryptionContext }));
  const open = await kms.send(new DecryptCommand({ CiphertextBlob: key.CiphertextBlob, EncryptionContext }));
  expect(key.Plaintext).toHaveLength(32);
  expect(open.Plaintext).toEqual(key.Plaintext);
});

it("keeps the key in a file that only its owner reads", async () => {
  const { dataDir } = await startTestAws();
  expect(statSync(path.join(dataDir, "kms.key")).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(dataDir, "kms.key"))).toHaveLength(32);
});

it("does not start with a key that is lost or damaged", async () => {
  const dataDir = temporaryFolder();
  await (await startTestAws({ dataDir })).close();
  rmSync(path.join(dataDir, "kms.key"));
  await expect(startTestAws({ dataDir })).rejects.toThrow("is not the key");
  writeFileSync(path.join(dataDir, "kms.key"), "short");
  await expect(startTestAws({ dataDir })).rejects.toThrow("is damaged");
});

it("names a key it does not have and a plaintext that is too long", async () => {
  const { kms, keyId } = await startTestAws();
  await expect(kms.send(new EncryptCommand({ KeyId: "other", Plaintext }))).rejects.toMatchObject({
    name: "NotFoundException",
  });
  const long = new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.alloc(4097) });
  await expect(kms.send(long)).rejects.toMatchObject({ name: "ValidationException" });
});
