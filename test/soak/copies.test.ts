import { expect, test } from "vitest";
import { startGeneratedRegistry } from "../harness/generatedRegistry.ts";
import { runCopy } from "../harness/runCopy.ts";

test("a layer of 4 GB goes through less than 128 MB of memory", async () => {
  const registry = await startGeneratedRegistry(4096);
  const run = await runCopy(`${registry.address}/made/layer:v1`, `${registry.address}/copied/layer:v1`);
  await registry.close();
  console.log(`4 GB in ${Math.round(run.milliseconds)} ms, ${Math.round(run.grownBytes / 1024 ** 2)} MB of growth`);
  expect(run.problem).toBe("");
  expect(registry.received()).toBeGreaterThanOrEqual(4 * 1024 ** 3);
  expect(run.grownBytes).toBeLessThan(128 * 1024 ** 2);
});
