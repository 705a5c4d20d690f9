import { expect, test } from "vitest";
import { codesOf, digestOf, pushBlob, pushImage, registryForTest } from "./registryHarness.ts";

test("a blob is given back byte for byte with its digest and length, by GET and by HEAD", async () => {
  const { at } = await registryForTest();
  const content = new Uint8Array(300_000).map((_, index) => index * 31);
  const { digest } = await pushBlob(at, "team/app", content);
  const got = await at("GET", `/v2/team/app/blobs/${digest}`);
  expect(got.status).toBe(200);
  expect(digestOf(new Uint8Array(await got.arrayBuffer()))).toBe(digest);
  const head = await at("HEAD", `/v2/team/app/blobs/${encodeURIComponent(digest)}`);
  for (const { headers } of [got, head]) {
    expect(headers.get("docker-content-digest")).toBe(digest);
    expect(headers.get("content-length")).toBe("300000");
    expect(headers.get("docker-distribution-api-version")).toBe("registry/2.0");
  }
});

test.each([
  { range: "bytes=2-4", status: 206, body: "234", contentRange: "bytes 2-4/10" },
  { range: "bytes=7-", status: 206, body: "789", contentRange: "bytes 7-9/10" },
  { range: "bytes=-2", status: 206, body: "89", contentRange: "bytes 8-9/10" },
  { range: "bytes=8-100", status: 206, body: "89", contentRange: "bytes 8-9/10" },
  { range: "bytes=10-", status: 416, body: undefined, contentRange: "bytes */10" },
  { range: "bytes=-0", status: 416, body: undefined, contentRange: "bytes */10" },
  { range: "bytes=4-2", status: 200, body: "0123456789", contentRange: null },
  { range: "bytes=0-1,4-5", status: 200, body: "0123456789", contentRange: null },
  { range: "lines=1-2", status: 200, body: "0123456789", contentRange: null },
])("Range $range of ten bytes gives $status", async ({ range, status, body, contentRange }) => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "app", "0123456789");
  const response = await at("GET", `/v2/app/blobs/${digest}`, { headers: { range } });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-range")).toBe(contentRange);
  if (body !== undefined) expect(await response.text()).toBe(body);
});

test("a client that has the blob is told so, and a range of other content is not mixed in", async () => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "app", "0123456789");
  const path = `/v2/app/blobs/${digest}`;
  expect((await at("GET", path, { headers: { "if-none-match": `"${digest}"` } })).status).toBe(304);
  const other = await at("GET", path, { headers: { range: "bytes=1-2", "if-range": '"other"' } });
  expect([other.status, await other.text()]).toEqual([200, "0123456789"]);
});

test("an empty blob can be pushed and pulled", async () => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "app", "");
  const response = await at("GET", `/v2/app/blobs/${digest}`);
  expect([response.status, await response.text()]).toEqual([200, ""]);
});

test("a blob is only there for the repository it was pushed to", async () => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "one", "secret");
  const response = await at("GET", `/v2/two/blobs/${digest}`);
  expect([response.status, await codesOf(response)]).toEqual([404, ["BLOB_UNKNOWN"]]);
});

test("deleting a blob takes it from that repository only, and a second time it is unknown", async () => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "one", "shared");
  await pushBlob(at, "two", "shared");
  expect((await at("DELETE", `/v2/one/blobs/${digest}`)).status).toBe(202);
  expect((await at("GET", `/v2/one/blobs/${digest}`)).status).toBe(404);
  expect((await at("DELETE", `/v2/one/blobs/${digest}`)).status).toBe(404);
  expect(await (await at("GET", `/v2/two/blobs/${digest}`)).text()).toBe("shared");
});

test.each(["sha256:abc", `sha256:${"A".repeat(64)}`, `md5:${"a".repeat(32)}`, "latest", `sha512:${"a".repeat(64)}`])(
  "%s is not a digest",
  async (text) => {
    const { at } = await registryForTest();
    const response = await at("GET", `/v2/app/blobs/${text}`);
    expect([response.status, await codesOf(response)]).toEqual([400, ["DIGEST_INVALID"]]);
  },
);

test("a client that leaves in the middle of a download disturbs nobody", async () => {
  const { at, log } = await registryForTest();
  const { digest } = await pushBlob(at, "app", new Uint8Array(20_000_000));
  const leave = new AbortController();
  const response = await at("GET", `/v2/app/blobs/${digest}`, { signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await pushImage(at, "app", "latest");
  expect(log).toEqual([]);
});
