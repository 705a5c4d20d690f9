import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { planRuns } from "./planRun.ts";
import { type PlanWorld, startPlanWorld } from "./planWorld.ts";
import { playPlanRun } from "./playPlanRun.ts";

interface PlanModel {
  runs: number;
  longest: number;
  /** After them no further run is begun, however slow the machine is. */
  seconds: number;
  /** The same runs every time. */
  seed?: number;
}

/** Release plans under random calls, clocks and kills, on the real engine of the table. */
export function planModelSuite({ runs, longest, seconds, seed }: PlanModel): void {
  let world: PlanWorld;

  beforeAll(async () => {
    world = await startPlanWorld();
    vi.useFakeTimers({ toFake: ["Date"] });
  });

  afterAll(async () => {
    vi.useRealTimers();
    await world.close();
  });

  test(
    "release plans are only ever where their table has them, start nothing twice, lose no schedule and leave no task behind",
    async () => {
      let played = 0;
      const property = fc.asyncProperty(planRuns(longest), async (run) => {
        await playPlanRun(world, run);
        played += 1;
      });
      await fc.assert(property, {
        numRuns: runs,
        interruptAfterTimeLimit: seconds * 1000,
        ...(seed !== undefined && { seed }),
      });
      console.log(`${played} runs of up to ${longest} events`);
      expect(played).toBeGreaterThan(0);
    },
    seconds * 1000 + 120_000,
  );
}
