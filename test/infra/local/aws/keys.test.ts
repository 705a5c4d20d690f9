import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { startTestAws, temporaryFolder } from "./harness.ts";

const context = { record: "cluster/1", field: "kubeconfig" };

it("unwraps only under the same context, in whatever order, also after a restart", async () => {
  const dataDir = temporaryFolder();
  const before = await startTestAws({ dataDir });
  const { key, wrapped } = await before.keys.generateDataKey(context);
  await before.close();
  const { keys } = await startTestAws({ dataDir });
  expect(key).toHaveLength(32);
  expect(await keys.unwrapDataKey(wrapped, { field: "kubeconfig", record: "cluster/1" })).toEqual(key);
  for (const wrong of [{}, { record: "cluster/2", field: "kubeconfig" }, { ...context, more: "x" }])
    await expect(keys.unwrapDataKey(wrapped, wrong)).rejects.toThrow("does not fit");
});

it("refuses a wrapped key of which any byte was changed", async () => {
  const { keys } = await startTestAws();
  const { wrapped } = await keys.generateDataKey(context);
  for (let index = 0; index < wrapped.length; index += 1) {
    const damaged = Uint8Array.from(wrapped);
    damaged[index]! ^= 1;
    await expect(keys.unwrapDataKey(damaged, context)).rejects.toThrow("does not fit");
  }
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
