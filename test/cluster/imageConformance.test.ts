import { describe, expect, test } from "vitest";
import { openImageCopier } from "../../shared/images/imageCopier.ts";
import {
  distributionProgram,
  mayHaveDisk,
  startDistribution,
  startDistributionBehindDoor,
} from "../harness/distribution.ts";
import { copySuite } from "../harness/imageSuite.ts";
import { pusher } from "../harness/testRegistry.ts";
import { troubleSuite } from "../harness/troubleSuite.ts";

const program = distributionProgram();

if (program === undefined) {
  console.warn("SKIPPED: copies between reference registries. Install docker-registry, as a cluster's node has it.");
  describe.skip("the reference registry: there is no docker-registry", () => test("skipped", () => {}));
} else {
  copySuite("distribution", () => startDistribution(program));
  // It signs how far an upload is, and refuses one that is further: then the blob begins again.
  troubleSuite("distribution", (options) => startDistributionBehindDoor(program, options), { resumes: false });

  test.skipIf(!mayHaveDisk).each([
    ["as one", 64_000_000],
    ["in chunks", 300_000],
  ])("a full disk ends the copy of a layer %s at once, and it goes well where there is room", async (_, chunkBytes) => {
    const source = await startDistribution(program);
    const full = await startDistribution(program, { megabytes: 1 });
    const roomy = await startDistribution(program, { megabytes: 8 });
    try {
      const image = await pusher(source.address).image("team/app", "v1", { layers: [3_000_000] });
      const paused: number[] = [];
      const copyTo = async ({ access }: typeof full) => {
        const signal = new AbortController().signal;
        const pause = async (milliseconds: number) => void paused.push(milliseconds);
        const copier = openImageCopier({ signal, chunkBytes, pause });
        const place = { repository: "team/app", reference: "v1" };
        const copy = { id: "app", from: { ...place, registry: source.access }, to: { ...place, registry: access } };
        return copier.copy(copy).finally(() => copier.close());
      };
      const { problem, retryable } = await copyTo(full);
      expect(problem).toContain("the registry has no room for it (500 UNKNOWN); free space or raise its quota");
      expect(retryable).toBe(false);
      expect(paused).toEqual([]);
      expect(await pusher(full.address).read("team/app", "v1")).toBeUndefined();
      expect(await copyTo(roomy)).toMatchObject({ state: "passed", digest: image.digest });
    } finally {
      for (const registry of [source, full, roomy]) await registry.close();
    }
  });
}
