import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ImageCopier, openImageCopier } from "../../../../shared/packaging/images/copy/imageCopier.ts";
import {
  digestOf,
  ociManifest,
  type Pushed,
  pusher,
  startTestRegistry,
  type TestRegistry,
} from "../../../harness/testRegistry.ts";

let source: TestRegistry;
let target: TestRegistry;
let copier: ImageCopier;
const progress: [confirmed: number, total: number][] = [];

beforeAll(async () => {
  [source, target] = await Promise.all([startTestRegistry(), startTestRegistry()]);
});

afterAll(() => Promise.all([source.close(), target.close()]));

afterEach(() => {
  copier.close();
  for (const registry of [source, target]) registry.trouble = undefined;
  progress.length = 0;
});

function open(more: { limitPerRegistry?: number; chunkBytes?: number } = {}) {
  copier = openImageCopier({
    signal: new AbortController().signal,
    progress: (_, confirmed, total) => progress.push([confirmed, total]),
    ...more,
  });
  for (const registry of [source, target]) registry.requests.length = 0;
  return copier;
}

const place = (registry: TestRegistry, repository: string, reference: string) => ({
  registry: registry.access,
  repository,
  reference,
});

/** Copies `name:v1` of the source to the same name of the target. */
function copy(name: string, more: { platforms?: string[]; from?: string; to?: TestRegistry } = {}) {
  const { platforms, from = name, to = target } = more;
  return copier.copy({ id: name, from: place(source, from, "v1"), to: place(to, name, "v1"), platforms });
}

/** How often each kind of request was made, the same for any name of a blob. */
function counts({ requests }: TestRegistry): Record<string, number> {
  const found: Record<string, number> = {};
  for (const request of requests) {
    const kind = request
      .replace(/sha256:[0-9a-f]{64}/g, "<digest>")
      .replace(/\/v2\/.*?\/(manifests|blobs|tags|referrers)/, "$1");
    found[kind] = (found[kind] ?? 0) + 1;
  }
  return found;
}

describe("an image", () => {
  let pushed: Pushed;

  beforeAll(async () => {
    pushed = await pusher(source.address).image("team/app", "v1", { layers: [1000, 200_000, 0] });
  });

  test("is copied byte by byte, and what was confirmed is told", async () => {
    open();
    const outcome = await copy("team/app");
    expect(outcome).toMatchObject({ id: "team/app", state: "passed", digest: pushed.digest, problem: "" });
    expect(outcome.bytes).toBeGreaterThan(201_000);
    const [there, here] = [pusher(target.address), pusher(source.address)];
    expect(await there.read("team/app", "v1")).toBe(await here.read("team/app", "v1"));
    const [confirmed, total] = progress.at(-1) ?? [];
    expect(confirmed).toBe(total);
    expect(confirmed).toBeGreaterThan(201_000);
  });

  test("that the target has costs one question there, and the source is asked for signatures", async () => {
    open();
    expect(await copy("team/app")).toMatchObject({ state: "passed", digest: pushed.digest, bytes: 0 });
    expect(counts(source)).toEqual({ "GET manifests/v1": 1, "GET referrers/<digest>": 1, "GET tags/list?n=1000": 1 });
    expect(counts(target)).toEqual({ "HEAD manifests/v1": 1 });
  });

  test("of twelve small layers costs one request a blob there where the registry takes a blob with one", async () => {
    const { digest } = await pusher(source.address).image("team/twelve", "v1", { layers: Array(12).fill(500) });
    open();
    expect(await copy("team/twelve")).toMatchObject({ state: "passed", digest });
    expect(counts(source)).toEqual({
      "GET manifests/v1": 1,
      "GET blobs/<digest>": 13,
      "GET referrers/<digest>": 1,
      "GET tags/list?n=1000": 1,
    });
    expect(counts(target)).toEqual({
      "HEAD manifests/v1": 1,
      "GET tags/list?n=1": 1,
      "POST blobs/uploads/?digest=<digest>": 13,
      "PUT manifests/v1": 1,
    });
  });

  test("whose layers the registry has elsewhere is mounted: one request a blob", async () => {
    open();
    const from = place(source, "team/twelve", "v1");
    const outcome = await copier.copy({ id: "mount", from, to: place(source, "mounts/twelve", "v1") });
    expect(outcome.state).toBe("passed");
    expect(counts(source)).toEqual({
      "GET manifests/v1": 1,
      "HEAD manifests/v1": 1,
      "POST blobs/uploads/?mount=<digest>&from=team%2Ftwelve": 13,
      "PUT manifests/v1": 1,
      "GET referrers/<digest>": 1,
      "GET tags/list?n=1000": 1,
    });
  });

  test("shares layers with what the target has: these are looked for and not sent", async () => {
    const layers = [randomBytes(50_000), randomBytes(60_000)];
    await pusher(target.address).image("team/base", "base", { layers });
    await pusher(source.address).image("team/base", "v1", { layers: [...layers, 700] });
    open();
    const outcome = await copy("team/base");
    expect(outcome.state).toBe("passed");
    expect(outcome.bytes).toBeLessThan(3000);
    expect(counts(source)["GET blobs/<digest>"]).toBe(2);
    expect(counts(target)["HEAD blobs/<digest>"]).toBe(4);
  });

  test("and another with the same layer at the same time: it is sent once and mounted", async () => {
    const layers = [randomBytes(400_000)];
    for (const name of ["pair/one", "pair/two"]) await pusher(source.address).image(name, "v1", { layers });
    open();
    const outcomes = await Promise.all([copy("pair/one"), copy("pair/two")]);
    expect(outcomes.map(({ state }) => state)).toEqual(["passed", "passed"]);
    expect(outcomes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(404_000);
    expect(target.requests.filter((line) => line.includes("mount="))).toHaveLength(1);
  });

  test("with a layer that by its licence stays elsewhere leaves it there", async () => {
    const push = pusher(source.address);
    const config = await push.blob("win/app", Buffer.from("{}"), "application/vnd.oci.image.config.v1+json");
    const mediaType = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip";
    const elsewhere = { mediaType, digest: digestOf("elsewhere"), size: 9, urls: ["https://maker.example.com/layer"] };
    const image = { schemaVersion: 2, mediaType: ociManifest, config, layers: [elsewhere] };
    const { digest } = await push.manifest("win/app", "v1", image);
    open();
    expect(await copy("win/app")).toMatchObject({ state: "passed", digest });
  });

  test("that has no such platform says which it has", async () => {
    await pusher(source.address).index("team/many", "v1", ["amd64", "arm64"]);
    open();
    expect(await copy("team/many", { platforms: ["linux/riscv64"] })).toMatchObject({
      state: "failed",
      problem: `${source.address}/team/many (v1): has no image for linux/riscv64; it has linux/amd64, linux/arm64`,
      retryable: false,
    });
    const resolved = await copier.resolve(place(source, "team/app", "v1"));
    expect(resolved).toMatchObject({ digest: pushed.digest, mediaType: ociManifest, platforms: ["linux/amd64"] });
    expect(resolved.size).toBeGreaterThan(201_000);
    const wrong = copier.copy({
      id: "single",
      from: place(source, "team/app", "v1"),
      to: place(target, "team/x", "v1"),
      platforms: ["linux/arm64"],
    });
    expect((await wrong).problem).toContain("has no image for linux/arm64; it has linux/amd64");
  });

  test("and many others stay within the limit of a registry", async () => {
    const names = Array.from({ length: 6 }, (_, at) => `limit/app-${at}`);
    for (const name of names) await pusher(source.address).image(name, "v1", { layers: [2000, 300_000] });
    const calm = await startTestRegistry();
    open({ limitPerRegistry: 3, chunkBytes: 100_000 });
    const outcomes = await Promise.all(names.map((name) => copy(name, { to: calm })));
    expect(outcomes.filter(({ state }) => state !== "passed")).toEqual([]);
    expect(calm.peak()).toBeGreaterThan(1);
    expect(calm.peak()).toBeLessThanOrEqual(3);
    await calm.close();
  });
});
