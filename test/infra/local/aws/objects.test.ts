import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";

const put = ({ objects }: TestAws, key: string, content: string) =>
  objects.put({ key, content: Buffer.from(content), contentType: "text/plain" });
const get = async ({ objects }: TestAws, key: string) => {
  const content = await objects.open(key);
  return content === undefined ? undefined : text(content);
};
const blobs = (aws: TestAws) => readdirSync(path.join(aws.dataDir, "objects"));

describe("objects", () => {
  it.each([
    "../../etc/passwd",
    "a/../b",
    "a//b",
    "./x",
    "ü/€ %2F+&=?#<>\"'",
    "a\\b",
    "con",
    "line\nbreak",
    "constructor",
  ])("have any key: %j is a key and never a path", async (key) => {
    const aws = await startTestAws();
    await put(aws, key, key);
    await put(aws, "other", "other");
    expect(await get(aws, key)).toBe(key);
    expect(await aws.objects.list(key)).toEqual([{ key, sizeBytes: Buffer.byteLength(key) }]);
    expect(
      readdirSync(aws.dataDir)
        .toSorted()
        .filter((name) => !/^(aws|held)\.sqlite/.test(name)),
    ).toEqual(["kms.key", "objects"]);
  });

  it("may be empty, and have a key of 1,024 bytes", async () => {
    const aws = await startTestAws();
    await put(aws, "k".repeat(1024), "");
    expect(await get(aws, "k".repeat(1024))).toBe("");
    await expect(put(aws, "k".repeat(1025), "")).rejects.toThrow("1,024 bytes");
    expect(blobs(aws)).toHaveLength(1);
  });

  it("replace each other whole: a reader sees one or the other", async () => {
    const aws = await startTestAws();
    const bodies = ["a", "b"].map((letter) => letter.repeat(200_000));
    await put(aws, "swap", bodies[0]!);
    const writes = Array.from({ length: 10 }, (_, index) => put(aws, "swap", bodies[index % 2]!));
    const reads = Array.from({ length: 10 }, () => get(aws, "swap"));
    for (const found of await Promise.all(reads)) expect(bodies).toContain(found);
    await Promise.all(writes);
    expect(blobs(aws)).toHaveLength(1);
  });

  it("survive a restart, and what a crash left half written does not", async () => {
    const dataDir = temporaryFolder();
    const before = await startTestAws({ dataDir });
    await put(before, "kept", "kept");
    await before.close();
    writeFileSync(path.join(dataDir, "objects", "half-written"), "x");
    const aws = await startTestAws({ dataDir });
    expect(await get(aws, "kept")).toBe("kept");
    expect(blobs(aws)).toHaveLength(1);
  });

  it("that are not there are not found", async () => {
    expect(await get(await startTestAws(), "gone")).toBeUndefined();
  });

  it("are listed by prefix in the order of the keys", async () => {
    const aws = await startTestAws();
    for (const key of ["log/2", "log/1", "log/10", "log/a/x", "log_/z", "logs", "other", "log/ü"])
      await put(aws, key, key);
    const found = (await aws.objects.list("log/")).map(({ key }) => key);
    expect(found).toEqual(["log/1", "log/10", "log/2", "log/a/x", "log/ü"]);
  });
});

/** Adapters whose signed addresses are answered by a server, as the gateway does. */
async function startDoor() {
  const aws = await startTestAws();
  const server = createServer((incoming, outgoing) => {
    aws.answerObject(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => void server.close());
  aws.serveObjectsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return aws;
}

describe("a signed address", () => {
  const key = "jobs/w/1/a b+c'(d)!*.txt";

  it("reads and writes its object, and nothing else, until it expires", async () => {
    const aws = await startDoor();
    const now = new Date();
    const sign = (method: "GET" | "PUT", at = now) => aws.objects.sign(method, key, 60, at);
    const [put, get, expired] = [await sign("PUT"), await sign("GET"), await sign("GET", new Date(+now - 61_000))];
    expect((await fetch(put, { method: "PUT", body: "content" })).status).toBe(200);
    expect(await (await fetch(get)).text()).toBe("content");
    const { pathname, search } = new URL(get);
    const refused = [
      fetch(get.split("?")[0] ?? ""),
      fetch(expired),
      fetch(expired.replace(/expires=\d+/, "expires=9999999999")),
      fetch(get, { method: "PUT", body: "other" }),
      fetch(get, { method: "HEAD" }),
      fetch(put),
      fetch(put, { method: "DELETE" }),
      fetch(put, { method: "POST" }),
      fetch(get, { headers: { origin: "http://example.org" } }),
      fetch(get.replace(pathname, "/objects/jobs/w/1/other.txt")),
      fetch(get.replace(search, `${search}0`)),
      fetch(get.replace(search, `${search.slice(0, -2)}zz`)),
    ];
    const answers = await Promise.all(refused);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    expect(await (await fetch(get)).text()).toBe("content");
  });

  it("gives the type and encoding back, in a form that no browser runs as a page of this origin", async () => {
    const aws = await startDoor();
    const [put, get] = await Promise.all([
      aws.objects.sign("PUT", key, 60, new Date()),
      aws.objects.sign("GET", key, 60, new Date()),
    ]);
    await fetch(put, { method: "PUT", body: "<script></script>", headers: { "content-type": "text/html" } });
    const { headers } = await fetch(get);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html",
      "content-length": "17",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });

  it("counts after a restart, and in no other data folder", async () => {
    const first = await startDoor();
    await put(first, key, "mine");
    const path_ = new URL(await first.objects.sign("GET", key, 60, new Date()));
    const other = await startDoor();
    await put(other, key, "theirs");
    const elsewhere = new URL(await other.objects.sign("GET", key, 60, new Date()));
    expect((await fetch(`${elsewhere.origin}${path_.pathname}${path_.search}`)).status).toBe(403);
    await first.close();
    const again = await startTestAws({ dataDir: first.dataDir });
    again.serveObjectsAt("http://again");
    const signedAgain = new URL(
      await again.objects.sign("GET", key, 60, new Date(Number(path_.searchParams.get("expires")) * 1000 - 60_000)),
    );
    expect(signedAgain.search).toBe(path_.search);
  });

  it("answers 404 while nothing was written", async () => {
    const aws = await startDoor();
    expect((await fetch(await aws.objects.sign("GET", key, 60, new Date()))).status).toBe(404);
  });

  it("stores nothing of a body that breaks off", async () => {
    const aws = await startDoor();
    await put(aws, key, "before");
    const outgoing = request(await aws.objects.sign("PUT", key, 60, new Date()), {
      method: "PUT",
      headers: { "content-length": 1_000_000 },
    });
    outgoing.on("error", () => undefined);
    outgoing.write("x".repeat(1000));
    await eventually(() => expect(blobs(aws)).toHaveLength(2));
    outgoing.destroy();
    await eventually(() => expect(blobs(aws)).toHaveLength(1));
    expect(await get(aws, key)).toBe("before");
  });

  it("takes a body as it streams, far larger than one request of the API", async () => {
    const aws = await startDoor();
    const block = Buffer.alloc(1024 * 1024, 7);
    const body = Readable.toWeb(Readable.from(Array.from({ length: 24 }, () => block))) as ReadableStream;
    const put = await aws.objects.sign("PUT", key, 60, new Date());
    expect((await fetch(put, { method: "PUT", body, duplex: "half" } as RequestInit)).status).toBe(200);
    expect(await aws.objects.list("jobs/")).toEqual([{ key, sizeBytes: 24 * 1024 * 1024 }]);
  });

  it("cannot be made before the gateway listens", async () => {
    const { objects } = await startTestAws();
    await expect(objects.sign("GET", key, 60, new Date())).rejects.toThrow("before the gateway listens");
  });
});
