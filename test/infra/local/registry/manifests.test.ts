import { expect, test } from "vitest";
import {
  codesOf,
  DOCKER_LIST,
  DOCKER_MANIFEST,
  digestOf,
  INDEX,
  MANIFEST,
  makeManifest,
  pushBlob,
  pushImage,
  putManifest,
  registryForTest,
} from "./registryHarness.ts";

test("a manifest is given back byte for byte by tag and by digest, with the type it was pushed with", async () => {
  const { at } = await registryForTest();
  for (const type of [MANIFEST, DOCKER_MANIFEST]) {
    const body = `${await makeManifest(at, "team/app", { mediaType: type })}\n  `;
    const put = await putManifest(at, "team/app", "v1", body, type);
    const digest = digestOf(body);
    expect([put.status, put.headers.get("location")]).toEqual([201, `/v2/team/app/manifests/${digest}`]);
    expect(put.headers.get("docker-content-digest")).toBe(digest);
    for (const reference of ["v1", digest]) {
      const got = await at("GET", `/v2/team/app/manifests/${reference}`);
      expect(await got.text()).toBe(body);
      const head = await at("HEAD", `/v2/team/app/manifests/${reference}`);
      for (const { headers, status } of [got, head]) {
        expect([status, headers.get("content-type"), headers.get("docker-content-digest")]).toEqual([
          200,
          type,
          digest,
        ]);
        expect(headers.get("content-length")).toBe(String(body.length));
      }
    }
  }
});

test("an index needs its manifests, and the error names each one that is missing", async () => {
  const { at } = await registryForTest();
  const there = await pushImage(at, "app", "amd64");
  const missing = [digestOf("one"), digestOf("two")];
  for (const type of [INDEX, DOCKER_LIST]) {
    const index = (digests: string[]) =>
      JSON.stringify({
        schemaVersion: 2,
        mediaType: type,
        manifests: digests.map((digest) => ({ mediaType: MANIFEST, digest, size: 1 })),
      });
    const refused = await putManifest(at, "app", "latest", index([there, ...missing]), type);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({
      errors: missing.map((digest) => ({ code: "MANIFEST_BLOB_UNKNOWN", detail: { digest } })),
    });
    expect((await putManifest(at, "app", "latest", index([there]), type)).status).toBe(201);
  }
});

test("a manifest whose blobs are only in another repository is refused; layers kept elsewhere are not asked for", async () => {
  const { at } = await registryForTest();
  const body = await makeManifest(at, "one");
  const refused = await putManifest(at, "two", "latest", body);
  expect(await codesOf(refused)).toEqual(["MANIFEST_BLOB_UNKNOWN", "MANIFEST_BLOB_UNKNOWN"]);
  expect((await at("GET", "/v2/two/manifests/latest")).status).toBe(404);
  const foreign = {
    mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
    digest: digestOf("far away"),
    size: 8,
  };
  expect((await putManifest(at, "one", "windows", await makeManifest(at, "one", { layers: [foreign] }))).status).toBe(
    201,
  );
});

test("a manifest pushed by digest must have that digest, sha256 or sha512", async () => {
  const { at } = await registryForTest();
  const body = await makeManifest(at, "app");
  const wrong = await putManifest(at, "app", digestOf("other"), body);
  expect([wrong.status, await codesOf(wrong)]).toEqual([400, ["DIGEST_INVALID"]]);
  for (const algorithm of ["sha256", "sha512"]) {
    const digest = digestOf(body, algorithm);
    expect((await putManifest(at, "app", digest, body)).headers.get("docker-content-digest")).toBe(digest);
    expect(await (await at("GET", `/v2/app/manifests/${digest}`)).text()).toBe(body);
  }
});

const digest = digestOf("x");
const config = { mediaType: "application/json", digest, size: 1 };
test.each([
  { name: "nothing", body: "" },
  { name: "no JSON", body: "{" },
  { name: "an array", body: "[]" },
  { name: "deep nesting", body: "[".repeat(100_000) },
  { name: "schema version 1", body: JSON.stringify({ schemaVersion: 1, config, layers: [] }) },
  { name: "no config", body: JSON.stringify({ schemaVersion: 2, layers: [] }) },
  { name: "a layer without digest", body: JSON.stringify({ schemaVersion: 2, config, layers: [{ size: 1 }] }) },
  {
    name: "a digest that is a path",
    body: JSON.stringify({ schemaVersion: 2, config: { ...config, digest: "sha256:../../x" }, layers: [] }),
  },
  { name: "a negative size", body: JSON.stringify({ schemaVersion: 2, config: { ...config, size: -1 }, layers: [] }) },
  { name: "another mediaType", body: JSON.stringify({ schemaVersion: 2, mediaType: INDEX, config, layers: [] }) },
  { name: "a type nobody knows", body: JSON.stringify({ schemaVersion: 2, config, layers: [] }), type: "text/plain" },
])("$name is MANIFEST_INVALID and not stored", async ({ body, type }) => {
  const { at } = await registryForTest();
  await pushBlob(at, "app", "x");
  const response = await putManifest(at, "app", "latest", body, type);
  expect(response.status).toBe(400);
  expect(new Set(await codesOf(response))).toEqual(new Set(["MANIFEST_INVALID"]));
  expect((await at("GET", "/v2/app/manifests/latest")).status).toBe(404);
});

test("a tag moves to what was pushed last, and the earlier manifest stays under its digest", async () => {
  const { at } = await registryForTest();
  const first = await pushImage(at, "app", "latest", { annotations: { build: "1" } });
  const second = await pushImage(at, "app", "latest", { annotations: { build: "2" } });
  expect((await at("HEAD", "/v2/app/manifests/latest")).headers.get("docker-content-digest")).toBe(second);
  expect((await at("HEAD", `/v2/app/manifests/${first}`)).status).toBe(200);
});

test("deleting a tag leaves the manifest; deleting the manifest takes every tag that names it and no other", async () => {
  const { at } = await registryForTest();
  const old = await pushImage(at, "app", "old", { annotations: { build: "1" } });
  await pushImage(at, "app", "old-alias", { annotations: { build: "1" } });
  await pushImage(at, "app", "new", { annotations: { build: "2" } });
  expect((await at("DELETE", "/v2/app/manifests/old-alias")).status).toBe(202);
  expect((await at("GET", "/v2/app/manifests/old-alias")).status).toBe(404);
  expect((await at("GET", `/v2/app/manifests/${old}`)).status).toBe(200);
  expect((await at("DELETE", `/v2/app/manifests/${old}`)).status).toBe(202);
  for (const reference of ["old", old]) {
    const gone = await at("GET", `/v2/app/manifests/${reference}`);
    expect([gone.status, await codesOf(gone)]).toEqual([404, ["MANIFEST_UNKNOWN"]]);
  }
  expect((await at("DELETE", `/v2/app/manifests/${old}`)).status).toBe(404);
  expect((await at("DELETE", "/v2/app/manifests/old")).status).toBe(404);
  expect(await (await at("GET", "/v2/app/tags/list")).json()).toEqual({ name: "app", tags: ["new"] });
});

test.each([".hidden", "-x", "a".repeat(129), "a%20b", "..%2f..%2fx", "caf%C3%A9"])(
  "%s is no tag: pushing it is refused, pulling it finds nothing",
  async (tag) => {
    const { at } = await registryForTest();
    const put = await putManifest(at, "app", tag, await makeManifest(at, "app"));
    expect([put.status, await codesOf(put)]).toEqual([400, ["MANIFEST_INVALID"]]);
    expect((await at("GET", `/v2/app/manifests/${tag}`)).status).toBe(404);
  },
);

test("fifty pushes to one tag at once end with one of them, whole", async () => {
  const { at } = await registryForTest();
  const digests = await Promise.all(
    Array.from({ length: 50 }, (_, build) => pushImage(at, "app", "latest", { annotations: { build: `${build}` } })),
  );
  const got = await at("GET", "/v2/app/manifests/latest");
  const winner = digestOf(await got.text());
  expect(digests).toContain(winner);
  expect(got.headers.get("docker-content-digest")).toBe(winner);
});
