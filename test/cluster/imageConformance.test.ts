import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openImageCopier } from "../../shared/packaging/images/copy/imageCopier.ts";
import {
  type Distribution,
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

  async function copyInto({ access }: Distribution, from: Distribution, chunkBytes?: number) {
    const paused: number[] = [];
    const signal = new AbortController().signal;
    const pause = async (milliseconds: number) => void paused.push(milliseconds);
    const copier = openImageCopier({ signal, pause, ...(chunkBytes !== undefined && { chunkBytes }) });
    const place = { repository: "team/app", reference: "v1" };
    const copy = { id: "app", from: { ...place, registry: from.access }, to: { ...place, registry: access } };
    const result = await copier.copy(copy).finally(() => copier.close());
    return { ...result, paused };
  }
  const full = {
    problem: expect.stringContaining("the registry has no room for it (500 UNKNOWN); free space or raise its quota"),
    retryable: false,
    paused: [],
  };

  test.skipIf(!mayHaveDisk).each([
    ["as one", 64_000_000],
    ["in chunks", 300_000],
  ])("a full disk ends the copy of a layer %s at once, and it goes well where there is room", async (_, chunkBytes) => {
    const source = await startDistribution(program);
    const small = await startDistribution(program, { megabytes: 1 });
    const roomy = await startDistribution(program, { megabytes: 8 });
    try {
      const image = await pusher(source.address).image("team/app", "v1", { layers: [3_000_000] });
      expect(await copyInto(small, source, chunkBytes)).toMatchObject(full);
      expect(await pusher(small.address).read("team/app", "v1")).toBeUndefined();
      expect(await copyInto(roomy, source, chunkBytes)).toMatchObject({ state: "passed", digest: image.digest });
    } finally {
      for (const registry of [source, small, roomy]) await registry.close();
    }
  });

  test.skipIf(!mayHaveDisk)("a disk that is full before the copy begins ends it as well", async () => {
    const source = await startDistribution(program);
    const small = await startDistribution(program, { megabytes: 1 });
    try {
      await pusher(source.address).image("team/app", "v1", { layers: [3_000] });
      await writeFile(join(small.disk, "filling"), Buffer.alloc(2_000_000)).catch(() => undefined);
      expect(await copyInto(small, source)).toMatchObject(full);
    } finally {
      for (const registry of [source, small]) await registry.close();
    }
  });
}
