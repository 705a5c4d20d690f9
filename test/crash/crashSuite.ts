import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Folders, startVictim } from "./crashRun.ts";
import { differences, type FinalState, finalState } from "./finalState.ts";
import type { Scenario } from "./scenarios.ts";
import type { Aim } from "./writeCounter.ts";

/** Which of the writes of an undisturbed run the program is killed at. */
export type Choice = (writes: readonly string[]) => Aim[];

/**
 * Kills the program in the middle of a scenario and starts it again without another request. What was accepted must end
 * as if nothing had happened; what was not accepted may also have left nothing at all.
 */
export function crashSuite(scenario: Scenario, choose: Choice): void {
  const folders = new Folders();
  const delay = { podDelayMilliseconds: scenario.preparedPodDelayMilliseconds ?? 0 };
  let prepared: string;
  let before: FinalState;
  let after: FinalState;
  let writes: string[];

  describe(`${scenario.name}, killed`, () => {
    beforeAll(async () => {
      prepared = folders.empty();
      const slipway = await startVictim(prepared, delay);
      await scenario.prepare(slipway);
      await slipway.end("SIGTERM");
      const reader = await startVictim(folders.copyOf(prepared));
      before = await finalState(reader);
      await reader.end("SIGTERM");
      const undisturbed = await startVictim(folders.copyOf(prepared), delay);
      await undisturbed.aim({ number: 0, moment: "before" });
      const answer = await scenario.request(undisturbed);
      expect(answer.status, answer.text).toBe(scenario.refused ? 400 : 200);
      after = await finalState(undisturbed);
      await scenario.check?.(undisturbed);
      writes = await undisturbed.writes();
      await undisturbed.end("SIGTERM");
    }, 200_000);

    afterAll(() => folders.remove());

    test("ends as if nothing had happened", async () => {
      const failures: string[] = [];
      for (const aim of choose(writes)) {
        const where = `killed ${aim.moment} write ${aim.number} of ${writes.length} (${writes[aim.number - 1]})`;
        const folder = folders.copyOf(prepared);
        const victim = await startVictim(folder, delay);
        await victim.aim(aim);
        const accepted = await scenario.request(victim).then(
          ({ status }) => status === 200,
          () => false,
        );
        // Where the order of writes differs there may be one less; then it ends by itself.
        await Promise.race([victim.ended, finalState(victim).catch(() => {})]);
        await victim.end("SIGKILL");
        const again = await startVictim(folder);
        try {
          const state = await finalState(again);
          const nothing = !accepted && differences(state, before).length === 0;
          if (!nothing && differences(state, after).length > 0)
            failures.push([where, accepted ? "accepted" : "not accepted", ...differences(state, after)].join("\n"));
        } catch (error) {
          failures.push(`${where}: ${(error as Error).message}`);
        }
        await again.end("SIGKILL");
        folders.remove(folder);
      }
      expect(failures).toEqual([]);
    });
  });
}
