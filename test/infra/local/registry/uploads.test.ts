import { readdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { beginUpload, codesOf, digestOf, pushBlob, registryForTest } from "./registryHarness.ts";

test("chunks in order become the blob, and the status tells how far the upload is", async () => {
  const { at } = await registryForTest();
  const upload = await beginUpload(at, "team/app");
  const first = await at("PATCH", upload, { body: "hello ", headers: { "content-range": "0-5" } });
  expect([first.status, first.headers.get("range"), first.headers.get("location")]).toEqual([202, "0-5", upload]);
  const status = await at("GET", upload);
  expect([status.status, status.headers.get("range"), status.headers.get("location")]).toEqual([204, "0-5", upload]);
  expect((await at("PATCH", upload, { body: "wor", headers: { "content-range": "6-8" } })).status).toBe(202);
  const digest = digestOf("hello world");
  const done = await at("PUT", `${upload}?digest=${digest}`, { body: "ld", headers: { "content-range": "9-10" } });
  expect([done.status, done.headers.get("location")]).toEqual([201, `/v2/team/app/blobs/${digest}`]);
  expect(done.headers.get("docker-content-digest")).toBe(digest);
  expect(await (await at("GET", `/v2/team/app/blobs/${digest}`)).text()).toBe("hello world");
  expect((await at("GET", upload)).status).toBe(404);
});

test("a stream without a length or range is appended, and sha512 names a blob as well as sha256", async () => {
  const { at } = await registryForTest();
  const upload = await beginUpload(at, "app");
  const body = new Blob(["a".repeat(100_000), "b"]).stream();
  const init: RequestInit & { duplex: "half" } = { body, duplex: "half" };
  expect((await at("PATCH", upload, init)).headers.get("range")).toBe("0-100000");
  const digest = digestOf(`${"a".repeat(100_000)}b`, "sha512");
  expect((await at("PUT", `${upload}?digest=${digest}`)).status).toBe(201);
  expect((await at("HEAD", `/v2/app/blobs/${digest}`)).headers.get("content-length")).toBe("100001");
});

test.each(["1-5", "7-10", "x", "5-", "5-2", "bytes 5-9/20"])(
  "Content-Range %s after five bytes is refused with 416 and changes nothing",
  async (range) => {
    const { at } = await registryForTest();
    const upload = await beginUpload(at, "app");
    await at("PATCH", upload, { body: "01234" });
    const refused = await at("PATCH", upload, { body: "56789", headers: { "content-range": range } });
    expect([refused.status, await codesOf(refused)]).toEqual([416, ["BLOB_UPLOAD_INVALID"]]);
    expect((await at("GET", upload)).headers.get("range")).toBe("0-4");
    const digest = digestOf("0123456789");
    const rest = { body: "56789", headers: { "content-range": "5-9" } };
    expect((await at("PUT", `${upload}?digest=${digest}`, rest)).status).toBe(201);
  },
);

test("a chunk whose Content-Range is not its length is SIZE_INVALID and changes nothing", async () => {
  const { at } = await registryForTest();
  const upload = await beginUpload(at, "app");
  const refused = await at("PATCH", upload, { body: "0123", headers: { "content-range": "0-9" } });
  expect([refused.status, await codesOf(refused)]).toEqual([400, ["SIZE_INVALID"]]);
  expect((await at("GET", upload)).headers.get("range")).toBe("0-0");
  expect((await at("PUT", `${upload}?digest=${digestOf("ab")}`, { body: "ab" })).status).toBe(201);
});

test("content that is not what its digest says is refused and leaves no file", async () => {
  const { at, dataDir } = await registryForTest();
  const digest = digestOf("what was promised");
  const upload = await beginUpload(at, "app");
  const put = await at("PUT", `${upload}?digest=${digest}`, { body: "what came" });
  expect([put.status, await codesOf(put)]).toEqual([400, ["DIGEST_INVALID"]]);
  const post = await at("POST", `/v2/app/blobs/uploads/?digest=${digest}`, { body: "what came" });
  expect([post.status, await codesOf(post)]).toEqual([400, ["DIGEST_INVALID"]]);
  expect((await at("HEAD", `/v2/app/blobs/${digest}`)).status).toBe(404);
  expect(await readdir(join(dataDir, "temporary"))).toEqual([]);
});

test("an upload without a good digest is not completed but can be", async () => {
  const { at } = await registryForTest();
  const upload = await beginUpload(at, "app");
  for (const query of ["", "?digest=", "?digest=sha256:12", "?digest=../../etc/passwd"]) {
    const response = await at("PUT", upload + query, { body: "" });
    expect([response.status, await codesOf(response)]).toEqual([400, ["DIGEST_INVALID"]]);
  }
  expect((await at("PUT", `${upload}?digest=${digestOf("x")}`, { body: "x" })).status).toBe(201);
});

test("a cancelled upload, one of another repository and one that never was are unknown", async () => {
  const { at, dataDir } = await registryForTest();
  const upload = await beginUpload(at, "one");
  const foreign = await at("PATCH", upload.replace("/one/", "/two/"), { body: "x" });
  expect([foreign.status, await codesOf(foreign)]).toEqual([404, ["BLOB_UPLOAD_UNKNOWN"]]);
  expect((await at("DELETE", upload)).status).toBe(204);
  expect((await at("PATCH", upload, { body: "x" })).status).toBe(404);
  expect((await at("DELETE", upload)).status).toBe(404);
  expect((await at("GET", "/v2/one/blobs/uploads/0f0f0f0f")).status).toBe(404);
  expect(await readdir(join(dataDir, "temporary"))).toEqual([]);
});

test("a blob of another repository is mounted; what cannot be mounted begins an upload", async () => {
  const { at } = await registryForTest();
  const { digest } = await pushBlob(at, "base", "common layer");
  const mounted = await at("POST", `/v2/app/blobs/uploads/?mount=${digest}&from=base`);
  expect([mounted.status, mounted.headers.get("location")]).toEqual([201, `/v2/app/blobs/${digest}`]);
  expect(await (await at("GET", `/v2/app/blobs/${digest}`)).text()).toBe("common layer");
  const impossible = [`mount=${digest}&from=nobody`, `mount=${digestOf("no")}&from=base`, `mount=${digest}`];
  for (const query of [...impossible, `mount=${digest}&from=../base`, "mount=x&from=base"]) {
    const response = await at("POST", `/v2/other/blobs/uploads/?${query}`);
    expect([response.status, response.headers.get("location")]).toEqual([202, expect.stringContaining("/v2/other/")]);
  }
  expect((await at("HEAD", `/v2/other/blobs/${digest}`)).status).toBe(404);
});

test("twenty clients that push the same blob at once all succeed, and it is kept once", async () => {
  const { at, dataDir } = await registryForTest();
  const content = new Uint8Array(1_000_000).map((_, index) => index * 7);
  const digests = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => (await pushBlob(at, `team${index % 4}/app`, content)).digest),
  );
  expect(new Set(digests).size).toBe(1);
  const got = await at("GET", `/v2/team3/app/blobs/${digests[0]}`);
  expect(digestOf(new Uint8Array(await got.arrayBuffer()))).toBe(digests[0]);
  const contents = await readdir(join(dataDir, "contents"), { recursive: true, withFileTypes: true });
  expect(contents.filter((entry) => entry.isFile())).toHaveLength(1);
  expect(await readdir(join(dataDir, "temporary"))).toEqual([]);
});

test("chunks sent at once to one upload do not mix: one is taken, the others are out of order", async () => {
  const { at } = await registryForTest();
  const upload = await beginUpload(at, "app");
  const pieces = Array.from({ length: 8 }, (_, index) => String(index).repeat(200_000));
  const answers = await Promise.all(
    pieces.map((body) => at("PATCH", upload, { body, headers: { "content-range": "0-199999" } })),
  );
  const taken = answers.findIndex(({ status }) => status === 202);
  expect(answers.map(({ status }) => status).filter((status) => status === 416)).toHaveLength(7);
  const digest = digestOf(pieces[taken] ?? "");
  expect((await at("PUT", `${upload}?digest=${digest}`)).status).toBe(201);
});

test("a chunk that breaks off leaves what arrived, and the upload goes on from there", async () => {
  const { at, address, dataDir } = await registryForTest();
  const upload = await beginUpload(at, "app");
  const [file = ""] = await readdir(join(dataDir, "temporary"));
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write(`PATCH ${upload} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhello`);
  await vi.waitFor(async () => expect((await stat(join(dataDir, "temporary", file))).size).toBe(5));
  socket.destroy();
  expect((await at("GET", upload)).headers.get("range")).toBe("0-4");
  const rest = { body: " world", headers: { "content-range": "5-10" } };
  expect((await at("PUT", `${upload}?digest=${digestOf("hello world")}`, rest)).status).toBe(201);
});
