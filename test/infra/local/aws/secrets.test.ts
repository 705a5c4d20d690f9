import { readFileSync } from "node:fs";
import path from "node:path";
import { CreateSecretCommand, GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { expect, it } from "vitest";
import { startTestAws } from "./harness.ts";

it("a secret is read by name and by ARN in its newest version, also after a restart, and never lies on disk in the clear", async () => {
  const aws = await startTestAws();
  const SecretString = "correct horse battery staple";
  const created = await aws.secrets.send(new CreateSecretCommand({ Name: "slipway/bootstrap", SecretString: "first" }));
  await aws.secrets.send(new PutSecretValueCommand({ SecretId: "slipway/bootstrap", SecretString }));
  await aws.close();
  const next = await startTestAws({ dataDir: aws.dataDir });
  for (const SecretId of ["slipway/bootstrap", created.ARN]) {
    const answer = await next.secrets.send(new GetSecretValueCommand({ SecretId }));
    expect(answer).toMatchObject({ SecretString, VersionStages: ["AWSCURRENT"] });
  }
  const previous = new GetSecretValueCommand({ SecretId: "slipway/bootstrap", VersionStage: "AWSPREVIOUS" });
  expect(await next.secrets.send(previous)).toMatchObject({ SecretString: "first", VersionId: created.VersionId });
  await next.close();
  expect(readFileSync(path.join(aws.dataDir, "aws.sqlite")).includes(SecretString)).toBe(false);
});

it("a secret is made once, and one that is not there is not found", async () => {
  const { secrets } = await startTestAws();
  await secrets.send(new CreateSecretCommand({ Name: "one", SecretBinary: Buffer.from([0, 255]) }));
  const again = secrets.send(new CreateSecretCommand({ Name: "one", SecretString: "x" }));
  await expect(again).rejects.toMatchObject({ name: "ResourceExistsException" });
  expect((await secrets.send(new GetSecretValueCommand({ SecretId: "one" }))).SecretBinary).toEqual(
    new Uint8Array([0, 255]),
  );
  const missing = secrets.send(new GetSecretValueCommand({ SecretId: "none" }));
  await expect(missing).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});
