import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../../../infra/local/registry/limits.ts";
import { createListener } from "../../../../infra/local/registry/listener.ts";
import { openStore } from "../../../../infra/local/registry/store/openStore.ts";
import { beginUpload, client, codesOf, digestOf, pushImage, putManifest, temporaryFolder } from "./registryHarness.ts";

async function registryWith(limits: Limits) {
  const dataDir = await temporaryFolder();
  const store = await openStore(dataDir, limits, () => undefined);
  const server = createServer(createListener({ store, limits, log: () => undefined }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("not listening");
  return { at: client(`http://127.0.0.1:${address.port}`), store, dataDir };
}

const SMALL: Limits = { manifestBytes: 1000, blobBytes: 1000, pageEntries: 2, uploadIdleMilliseconds: 1000 };

test("a blob over the limit is refused with 413, whether its length is said or not, and leaves no file", async () => {
  const { at, dataDir } = await registryWith(SMALL);
  const announced = await beginUpload(at, "app");
  const streamed = await beginUpload(at, "app");
  const body = "x".repeat(1001);
  const init: RequestInit & { duplex: "half" } = {
    body: new Blob([body, "y".repeat(5_000_000)]).stream(),
    duplex: "half",
  };
  for (const response of [await at("PATCH", announced, { body }), await at("PATCH", streamed, init)]) {
    expect([response.status, await codesOf(response)]).toEqual([413, ["SIZE_INVALID"]]);
  }
  expect((await at("POST", `/v2/app/blobs/uploads/?digest=${digestOf(body)}`, { body })).status).toBe(413);
  expect(await readdir(join(dataDir, "temporary"))).toEqual([]);
  const exact = "x".repeat(1000);
  expect((await at("POST", `/v2/app/blobs/uploads/?digest=${digestOf(exact)}`, { body: exact })).status).toBe(201);
});

test("a manifest over the limit is refused with 413", async () => {
  const { at } = await registryWith(SMALL);
  const ofSize = (size: number) => JSON.stringify({ filler: "x".repeat(size - 13) });
  const response = await putManifest(at, "app", "latest", ofSize(1001));
  expect([response.status, await codesOf(response)]).toEqual([413, ["SIZE_INVALID"]]);
  expect(await codesOf(await putManifest(at, "app", "latest", ofSize(1000)))).not.toContain("SIZE_INVALID");
});

test("by default a manifest of 4,000,000 bytes is taken, as the specification asks", async () => {
  const { at } = await registryWith(DEFAULT_LIMITS);
  await pushImage(at, "app", "large", { annotations: { filler: "x".repeat(4_000_000) } });
  expect((await at("HEAD", "/v2/app/manifests/large")).status).toBe(200);
});

test("a page has no more entries than the limit, and its Link leads to the rest", async () => {
  const { at } = await registryWith(SMALL);
  for (const tag of ["a", "b", "c"]) await pushImage(at, "app", tag);
  const first = await at("GET", "/v2/app/tags/list?n=100");
  expect(await first.json()).toEqual({ name: "app", tags: ["a", "b"] });
  expect(first.headers.get("link")).toBe('</v2/app/tags/list?n=2&last=b>; rel="next"');
});

test("an upload that nobody uses is given up with its file, one in use is not", async () => {
  const { at, store, dataDir } = await registryWith(SMALL);
  const upload = await beginUpload(at, "app");
  await store.uploads.discardIdle(Date.now() - 60_000);
  expect((await at("GET", upload)).status).toBe(204);
  await store.uploads.discardIdle(Date.now() + 1);
  expect((await at("GET", upload)).status).toBe(404);
  expect(await readdir(join(dataDir, "temporary"))).toEqual([]);
});
