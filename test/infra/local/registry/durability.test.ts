import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { startRegistry } from "../../../../infra/local/registry/start.ts";
import {
  beginUpload,
  client,
  digestOf,
  pushBlob,
  pushImage,
  registryForTest,
  temporaryFolder,
} from "./registryHarness.ts";

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function startProcess(dataDir: string) {
  const script = fileURLToPath(new URL("./registryProcess.ts", import.meta.url));
  const child: Child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const address = await nextLine();
  const kill = async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const peakBytes = async () => {
    child.stdin.write("\n");
    return Number(await nextLine());
  };
  return { address, at: client(address), kill, peakBytes };
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test("what was accepted is there after kill -9; what was not finished is gone and can be pushed again", async () => {
  const dataDir = await temporaryFolder();
  const first = await startProcess(dataDir);
  const digest = await pushImage(first.at, "team/app", "v1", { annotations: { a: "b" } });
  const upload = await beginUpload(first.at, "team/app");
  const { hostname, port } = new URL(first.address);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(`PATCH ${upload} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n${"x".repeat(100_000)}`);
  await vi.waitFor(async () => expect(await filesUnder(join(dataDir, "temporary"))).toHaveLength(1));
  await first.kill();
  socket.destroy();
  expect(await filesUnder(join(dataDir, "temporary"))).toHaveLength(1);

  const second = await startProcess(dataDir);
  expect(await filesUnder(join(dataDir, "temporary"))).toEqual([]);
  const manifest = await second.at("GET", "/v2/team/app/manifests/v1");
  expect(digestOf(await manifest.text())).toBe(digest);
  expect(await (await second.at("GET", `/v2/team/app/blobs/${digestOf("layer")}`)).text()).toBe("layer");
  expect((await second.at("GET", upload)).status).toBe(404);
  await pushBlob(second.at, "team/app", "x".repeat(100_000));
});

test("killed at any moment of many pushes, every image that was accepted is whole", async () => {
  const dataDir = await temporaryFolder();
  const accepted = new Map<string, string>();
  for (let round = 0; round < 4; round += 1) {
    const { at, kill } = await startProcess(dataDir);
    const before = accepted.size;
    const pushUntilKilled = async (worker: number) => {
      for (let build = 0; ; build += 1) {
        const tag = `r${round}-w${worker}-b${build}`;
        const digest = await pushImage(at, "app", tag, { annotations: { tag } }).catch(() => undefined);
        if (digest === undefined) return;
        accepted.set(tag, digest);
      }
    };
    const pushers = [0, 1, 2, 3].map(pushUntilKilled);
    await vi.waitFor(() => expect(accepted.size).toBeGreaterThan(before + 5), { interval: 5, timeout: 20_000 });
    await kill();
    await Promise.all(pushers);
  }
  const { at } = await startProcess(dataDir);
  for (const [tag, digest] of accepted) {
    const response = await at("GET", `/v2/app/manifests/${tag}`);
    expect([tag, response.status, digestOf(await response.text())]).toEqual([tag, 200, digest]);
  }
  const listed = (await (await at("GET", "/v2/app/tags/list")).json()) as { tags: string[] };
  for (const tag of listed.tags) expect((await at("GET", `/v2/app/manifests/${tag}`)).status).toBe(200);
});

test("content that no repository holds is removed at the next start, held content is not", async () => {
  const { at, dataDir, close } = await registryForTest();
  const gone = await pushBlob(at, "app", "to be deleted");
  const kept = await pushBlob(at, "app", "to be kept");
  const image = await pushImage(at, "app", "latest");
  await at("DELETE", `/v2/app/blobs/${gone.digest}`);
  await close();
  await writeFile(join(dataDir, "temporary", "left-over"), "x");
  const log: string[] = [];
  const again = await startRegistry({ dataDir, log: (line) => log.push(line) });
  onTestFinished(() => again.close());
  expect(log).toEqual(["removed 1 unfinished files and 1 that no repository holds"]);
  const files = await filesUnder(join(dataDir, "contents"));
  expect(files).not.toContain(gone.digest.slice(7));
  expect(files).toEqual(expect.arrayContaining([kept.digest.slice(7), image.slice(7)]));
  expect((await client(again.address)("GET", "/v2/app/manifests/latest")).status).toBe(200);
});

test("a blob far larger than the memory it is moved through goes in and out", async () => {
  const { at, peakBytes } = await startProcess(await temporaryFolder());
  const piece = randomBytes(1024 ** 2);
  const pieces = 256;
  const hash = createHash("sha256");
  for (let index = 0; index < pieces; index += 1) hash.update(piece);
  const digest = `sha256:${hash.digest("hex")}`;
  await pushBlob(at, "app", "warm up");
  const before = await peakBytes();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === pieces) return controller.close();
      sent += 1;
      controller.enqueue(piece);
    },
  });
  const init: RequestInit & { duplex: "half" } = { body, duplex: "half" };
  expect((await at("POST", `/v2/app/blobs/uploads/?digest=${digest}`, init)).status).toBe(201);
  const got = await at("GET", `/v2/app/blobs/${digest}`);
  const back = createHash("sha256");
  for await (const chunk of got.body ?? []) back.update(chunk);
  expect(`sha256:${back.digest("hex")}`).toBe(digest);
  expect((await peakBytes()) - before).toBeLessThan((pieces * 1024 ** 2) / 2);
}, 300_000);

test("a folder that cannot be used and a port that is taken are errors of the start", async () => {
  const { address, dataDir } = await registryForTest();
  const file = join(dataDir, "file");
  await writeFile(file, "");
  await expect(startRegistry({ dataDir: file })).rejects.toThrow(/ENOTDIR/);
  const port = Number(new URL(address).port);
  await expect(startRegistry({ dataDir: await temporaryFolder(), port })).rejects.toThrow(/EADDRINUSE/);
});

test("closing lets an answer in flight end and does not wait for connections that are kept for later", async () => {
  const { at, close } = await registryForTest();
  // More than the system keeps for a connection, and so little that a busy machine reads it before it is cut off.
  const content = new Uint8Array(12_000_000);
  const { digest } = await pushBlob(at, "app", content);
  const response = await at("GET", `/v2/app/blobs/${digest}`);
  const closed = close();
  expect((await response.bytes()).length).toBe(content.length);
  const ended = performance.now();
  await closed;
  expect(performance.now() - ended).toBeLessThan(2000);
  await expect(at("GET", "/v2/")).rejects.toThrow();
});
