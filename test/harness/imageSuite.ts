import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ImageCopier, openImageCopier } from "../../shared/packaging/images/copy/imageCopier.ts";
import type { UploadNotes } from "../../shared/packaging/images/copy/uploadNotes.ts";
import type { RegistryAccess } from "../../shared/packaging/images/registryAccess.ts";
import { ociIndex, ociManifest, type Pushed, pusher } from "./testRegistry.ts";

export interface SuiteRegistry {
  address: string;
  access: RegistryAccess;
  close(): Promise<void>;
}

const empty = Buffer.from("{}");
const imageConfig = "application/vnd.oci.image.config.v1+json";

/** What has to hold of copies between two registries of a kind. */
export function copySuite(name: string, start: () => Promise<SuiteRegistry>): void {
  describe(`copies between two registries of ${name}`, () => {
    let source: SuiteRegistry;
    let target: SuiteRegistry;
    let copier: ImageCopier;
    let push: ReturnType<typeof pusher>;
    let there: ReturnType<typeof pusher>;

    beforeAll(async () => {
      [source, target] = await Promise.all([start(), start()]);
      [push, there] = [pusher(source.address), pusher(target.address)];
      copier = openImageCopier({ signal: new AbortController().signal, chunkBytes: 300_000 });
    });

    afterAll(async () => {
      copier.close();
      await Promise.all([source.close(), target.close()]);
    });

    async function copy(repository: string, more: { reference?: string; platforms?: string[]; to?: string } = {}) {
      const { reference = "v1", platforms, to = repository } = more;
      const from = { registry: source.access, repository, reference };
      const place = { registry: target.access, repository: to, reference: "v1" };
      const outcome = await copier.copy({ id: repository, from, to: place, platforms });
      expect(outcome).toMatchObject({ problem: "", state: "passed" });
      return outcome;
    }

    /** A manifest and all that it names are in the target as they are in the source. */
    async function expectSame(repository: string, reference: string): Promise<void> {
      const text = await push.read(repository, reference);
      expect(text).toBeDefined();
      expect(await there.read(repository, reference)).toBe(text);
      const {
        config,
        layers = [],
        manifests = [],
      } = JSON.parse(text ?? "") as Record<"layers" | "manifests", Pushed[]> & {
        config?: Pushed;
      };
      for (const { digest } of manifests) await expectSame(repository, digest);
      for (const { digest } of [...(config ? [config] : []), ...layers])
        expect(await there.hasBlob(repository, digest), digest).toBe(true);
    }

    test("an image with layers of all sizes, of no bytes too, and one in chunks", async () => {
      const layers = [Buffer.alloc(0), 1000, 200_000, 1_000_000];
      const { digest } = await push.image("team/app", "v1", { layers });
      expect((await copy("team/app")).digest).toBe(digest);
      await expectSame("team/app", "v1");
      expect((await copy("team/app")).bytes).toBe(0);
    });

    test("an index of all its platforms, and of some", async () => {
      const index = await push.index("team/many", "v1", ["amd64", "arm64", "s390x"]);
      expect((await copy("team/many")).digest).toBe(index.digest);
      await expectSame("team/many", "v1");
      const platforms = ["linux/amd64", "linux/arm64"];
      const { digest } = await copy("team/many", { platforms, to: "team/some" });
      expect(digest).not.toBe(index.digest);
      const some = JSON.parse((await there.read("team/some", "v1")) ?? "") as { manifests: Pushed[] };
      expect(some.manifests.map(({ platform }) => platform)).toEqual([
        { os: "linux", architecture: "amd64" },
        { os: "linux", architecture: "arm64" },
      ]);
      for (const entry of some.manifests) expect(await there.read("team/some", entry.digest)).toBeDefined();
      const from = { registry: source.access, repository: "team/many", reference: "v1" };
      expect((await copier.resolve(from, platforms)).digest).toBe(digest);
    });

    test("an image by digest, of Docker's types with a zstd layer, and an artifact that is no image", async () => {
      const docker = "application/vnd.docker.distribution.manifest.v2+json";
      const config = await push.blob("old/app", randomBytes(50), "application/vnd.docker.container.image.v1+json");
      const layer = await push.blob("old/app", randomBytes(5000), "application/vnd.docker.image.rootfs.diff.tar.zstd");
      const image = { schemaVersion: 2, mediaType: docker, config, layers: [layer] };
      const { digest } = await push.manifest("old/app", "", image);
      expect((await copy("old/app", { reference: digest })).digest).toBe(digest);
      await expectSame("old/app", digest);
      const chart = await push.blob(
        "charts/app",
        randomBytes(5000),
        "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
      );
      const about = await push.blob("charts/app", empty, "application/vnd.cncf.helm.config.v1+json");
      await push.manifest("charts/app", "v1", {
        schemaVersion: 2,
        mediaType: ociManifest,
        config: about,
        layers: [chart],
      });
      await copy("charts/app");
      await expectSame("charts/app", "v1");
    });

    test("an image to another repository of its registry, by mounts", async () => {
      const layers = [400_000];
      const { digest } = await push.image("here/app", "v1", { layers });
      const from = { registry: source.access, repository: "here/app", reference: "v1" };
      const to = { registry: source.access, repository: "here/other/app", reference: "v2" };
      const outcome = await copier.copy({ id: "mount", from, to });
      expect(outcome).toMatchObject({ state: "passed", digest });
      expect(outcome.bytes).toBeLessThan(1000);
      expect(await push.read("here/other/app", "v2")).toBe(await push.read("here/app", "v1"));
    });

    test("signatures and SBOM, by reference and by tag; entries of others under the fallback tag stay", async () => {
      const subject = await push.image("signed/app", "v1");
      const tag = subject.digest.replace(":", "-");
      const config = await push.blob("signed/app", empty, "application/vnd.oci.empty.v1+json");
      const artifact = async (type: string) => {
        const layer = await push.blob("signed/app", randomBytes(300), type);
        const made = { schemaVersion: 2, mediaType: ociManifest, artifactType: type, config, layers: [layer], subject };
        return { ...(await push.manifest("signed/app", "", made)), artifactType: type };
      };
      const bundle = await artifact("application/vnd.dev.sigstore.bundle.v0.3+json");
      await push.image("signed/app", `${tag}.sig`);
      const hasInterface = (await fetch(`http://${target.address}/v2/signed/app/referrers/${subject.digest}`)).ok;
      if (!hasInterface)
        await push.manifest("signed/app", tag, { schemaVersion: 2, mediaType: ociIndex, manifests: [bundle] });
      // Somebody else has signed it in the target.
      const other = await there.image("signed/app", "other");
      if (!hasInterface)
        await there.manifest("signed/app", tag, { schemaVersion: 2, mediaType: ociIndex, manifests: [other] });
      await copy("signed/app");
      for (const reference of ["v1", bundle.digest, `${tag}.sig`]) await expectSame("signed/app", reference);
      const listed = hasInterface
        ? await (await fetch(`http://${target.address}/v2/signed/app/referrers/${subject.digest}`)).text()
        : await there.read("signed/app", tag);
      const digests = (JSON.parse(listed ?? "") as { manifests: Pushed[] }).manifests.map(({ digest }) => digest);
      expect(digests).toEqual(hasInterface ? [bundle.digest] : [other.digest, bundle.digest]);
      expect((await copy("signed/app")).bytes).toBe(0);
      const sbom = await artifact("application/spdx+json");
      if (!hasInterface)
        await push.manifest("signed/app", tag, { schemaVersion: 2, mediaType: ociIndex, manifests: [bundle, sbom] });
      const later = openImageCopier({ signal: new AbortController().signal });
      const place = (registry: RegistryAccess) => ({ registry, repository: "signed/app", reference: "v1" });
      await later.copy({ id: "later", from: place(source.access), to: place(target.access) });
      later.close();
      await expectSame("signed/app", sbom.digest);
    });

    describe("a large blob that an earlier process began", () => {
      const size = 1_000_000;

      /** Copies an image with a layer of that size by a copier of its own, as another process would. */
      async function copyNew(repository: string, notes: UploadNotes, pausing?: AbortSignal) {
        const signal = new AbortController().signal;
        const own = openImageCopier({ signal, chunkBytes: 300_000, notes, ...(pausing && { pausing }) });
        const from = { registry: source.access, repository, reference: "v1" };
        const to = { ...from, registry: target.access };
        return own.copy({ id: repository, from, to }).finally(() => own.close());
      }

      /** Notes in memory, with one of an upload to begin with. */
      function notesWith(place?: string): UploadNotes & { places: (string | undefined)[] } {
        const places = [place];
        return { places, find: async () => places.at(-1), note: async (_, next) => void places.push(next) };
      }

      test("gets the rest alone", async () => {
        await push.image("resumed/app", "v1", { layers: [size] });
        const notes = notesWith();
        const pause = new AbortController();
        const noting: UploadNotes = {
          find: notes.find,
          note: async (blob, place) => {
            await notes.note(blob, place);
            if (notes.places.length === 3) pause.abort(new Error("time is up"));
          },
        };
        await expect(copyNew("resumed/app", noting, pause.signal)).rejects.toThrow("time is up");
        expect(await there.read("resumed/app", "v1")).toBeUndefined();
        const outcome = await copyNew("resumed/app", notes);
        expect(outcome).toMatchObject({ state: "passed", problem: "" });
        expect(outcome.bytes).toBeGreaterThanOrEqual(size - 600_000);
        expect(outcome.bytes).toBeLessThan(size - 600_000 + 5000);
        expect(notes.places.at(-1)).toBeUndefined();
        await expectSame("resumed/app", "v1");
      });

      test("begins again when it sent other bytes", async () => {
        await push.image("resumed/wrong", "v1", { layers: [size] });
        const begun = await fetch(`http://${target.address}/v2/resumed/wrong/blobs/uploads/`, { method: "POST" });
        const place = new URL(begun.headers.get("location") ?? "", `http://${target.address}`);
        const body = randomBytes(300_000);
        const headers = { "content-range": "0-299999", "content-type": "application/octet-stream" };
        const sent = await fetch(place, { method: "PATCH", body, headers });
        expect(sent.status).toBe(202);
        const after = new URL(sent.headers.get("location") ?? "", place).href;
        const outcome = await copyNew("resumed/wrong", notesWith(after));
        expect(outcome).toMatchObject({ state: "passed", problem: "" });
        expect(outcome.bytes).toBeGreaterThan(size);
        await expectSame("resumed/wrong", "v1");
      });

      test.each([
        ["that the target forgot", () => `http://${target.address}/v2/resumed/lost/blobs/uploads/gone`],
        ["whose note is no address", () => "gone"],
      ])("begins again in the place of an upload %s", async (_, place) => {
        await push.image("resumed/lost", "v1", { layers: [size] });
        expect(await copyNew("resumed/lost", notesWith(place()))).toMatchObject({ state: "passed", problem: "" });
        await expectSame("resumed/lost", "v1");
      });
    });

    test("200 images at the same time", { timeout: 120_000 }, async () => {
      const names = Array.from({ length: 200 }, (_, at) => `fleet/app-${at % 20}`);
      const content = randomBytes(20_000);
      await Promise.all(
        [...new Set(names)].map(async (name) => {
          const config = await push.blob(name, Buffer.from(JSON.stringify({ name })), imageConfig);
          const layer = await push.blob(name, content, "application/vnd.oci.image.layer.v1.tar");
          for (const [at, one] of names.entries()) {
            const annotations = { at: String(at) };
            const image = { schemaVersion: 2, mediaType: ociManifest, config, layers: [layer], annotations };
            if (one === name) await push.manifest(name, `v${at}`, image);
          }
        }),
      );
      const outcomes = await Promise.all(
        names.map((repository, at) => {
          const place = (registry: RegistryAccess) => ({ registry, repository, reference: `v${at}` });
          return copier.copy({ id: repository, from: place(source.access), to: place(target.access) });
        }),
      );
      expect(outcomes.filter(({ state }) => state !== "passed")).toEqual([]);
      for (const [at, name] of names.entries())
        expect(await there.read(name, `v${at}`)).toBe(await push.read(name, `v${at}`));
    });
  });
}
