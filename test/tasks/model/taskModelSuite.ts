import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModelWorld, startModelWorld } from "./modelWorld.ts";
import { playTaskRun } from "./playTaskRun.ts";
import { taskRuns } from "./taskRun.ts";

/** @param seconds after which no further run is begun, however slow the machine is */
export function taskModelSuite({ runs, longest, seconds }: { runs: number; longest: number; seconds: number }): void {
  let world: ModelWorld;

  beforeAll(async () => {
    world = await startModelWorld();
  });

  afterAll(() => world.close());

  test(
    "tasks end as the contract has it, whatever people do and whoever is killed; limits, numbers and order hold at every moment",
    async () => {
      let played = 0;
      const property = fc.asyncProperty(taskRuns(longest), async (run) => {
        await playTaskRun(world, run);
        played += 1;
      });
      await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: seconds * 1000 });
      console.log(`${played} runs of up to ${longest} events`);
      expect(played).toBeGreaterThan(0);
    },
    seconds * 1000 + 120_000,
  );
}
