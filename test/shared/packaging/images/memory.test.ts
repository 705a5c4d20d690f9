import { expect, test } from "vitest";
import { startGeneratedRegistry } from "../../../harness/generatedRegistry.ts";
import { runCopy } from "../../../harness/runCopy.ts";

test("a layer of 192 MB goes through less than 128 MB of memory", async () => {
  const registry = await startGeneratedRegistry(192);
  const run = await runCopy(`${registry.address}/made/layer:v1`, `${registry.address}/copied/layer:v1`);
  await registry.close();
  expect(run.problem).toBe("");
  expect(registry.received()).toBeGreaterThanOrEqual(192 * 1024 ** 2);
  expect(run.grownBytes).toBeLessThan(128 * 1024 ** 2);
});
