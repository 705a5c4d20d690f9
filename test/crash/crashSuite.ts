import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Caller } from "../harness/boutique.ts";
import { Folders, startVictim, type Victim } from "./crashRun.ts";
import { differences, type FinalState, finalState } from "./finalState.ts";
import { type Outside, startOutside } from "./outside.ts";
import type { Scenario } from "./scenario.ts";
import { type Aim, createdJobsFile } from "./writeCounter.ts";

/** Kills of one run, one after the other: the first at a write after the request, each other one of a restart's. */
export type Kills = readonly [Aim, ...Aim[]];

/**
 * Which runs there are, by the writes of an undisturbed one.
 * @param recovery the writes of a program that goes on where one was killed before a write
 */
export type Choice = (
  writes: readonly string[],
  recovery: (number: number) => Promise<readonly string[]>,
) => Kills[] | Promise<Kills[]>;

/**
 * Kills the program in the middle of a scenario and starts it again without another request than those that people had
 * still to make. What was accepted must end as if nothing had happened, inside and outside; what was not accepted may
 * also have left nothing at all.
 */
export function crashSuite(scenario: Scenario, choose: Choice): void {
  const folders = new Folders();
  const delay = { podDelayMilliseconds: scenario.preparedPodDelayMilliseconds ?? 0 };
  let outside: Outside;
  let prepared: string;
  let before: Outcome;
  let after: Outcome;
  let writes: string[];

  describe(`${scenario.name}, killed`, () => {
    beforeAll(async () => {
      outside = await startOutside();
      prepared = folders.empty();
      const slipway = await startVictim(prepared, delay);
      await scenario.prepare(slipway, outside);
      if (scenario.preparedPodDelayMilliseconds === undefined) before = await outcomeOf(slipway, outside);
      await slipway.end("SIGTERM");
      if (scenario.preparedPodDelayMilliseconds !== undefined) before = await outcomeOnceReady();
      const undisturbed = await startVictim(folders.copyOf(prepared), delay);
      await undisturbed.aim({ number: 0, moment: "before" });
      const answer = await scenario.request(undisturbed);
      expect(answer.status, answer.text).toBe(scenario.refused ? 400 : 200);
      await scenario.goOn?.(undisturbed, outside);
      after = await outcomeOf(undisturbed, outside);
      await scenario.check?.(undisturbed);
      writes = await undisturbed.writes();
      await undisturbed.end("SIGTERM");
    }, 200_000);

    afterAll(async () => {
      await outside?.close();
      folders.remove();
    });

    test("ends as if nothing had happened", async () => {
      const failures: string[] = [];
      const startedAt = Date.now();
      const runs = await choose(writes, recoveryWrites);
      for (const kills of runs) {
        const problems = await problemsAfter(kills).catch((error: Error) => [error.message]);
        if (problems.length === 0) continue;
        failures.push([whereOf(kills), ...problems].join("\n"));
        // A long run tells at once.
        console.error(`${scenario.name}: ${failures.at(-1)}`);
      }
      const killed = runs.reduce((sum, kills) => sum + kills.length, 0);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      console.log(`${scenario.name}: ${writes.length} writes, ${runs.length} runs, ${killed} kills, ${seconds} s`);
      expect(failures).toEqual([]);
    });
  });

  /** Of a preparation that is still at work, because its pods are held back: what it comes to when they are not. */
  async function outcomeOnceReady(): Promise<Outcome> {
    const reader = await startVictim(folders.copyOf(prepared));
    const outcome = await outcomeOf(reader, outside);
    await reader.end("SIGTERM");
    return outcome;
  }

  function whereOf([first, ...others]: Kills): string {
    const restarts = others.map(({ moment, number }) => `, then ${moment} write ${number} of the restart`);
    const name = writes[first.number - 1];
    return `killed ${first.moment} write ${first.number} of ${writes.length} (${name})${restarts.join("")}`;
  }

  async function recoveryWrites(number: number): Promise<readonly string[]> {
    const folder = folders.copyOf(prepared);
    await killedFirst(folder, { number, moment: "before" }, new Tally());
    const again = await startAgain(folder, { number: 0, moment: "before" });
    await end(again);
    const names = await again.writes();
    await again.end("SIGKILL");
    folders.remove(folder);
    return names;
  }

  async function problemsAfter([first, ...others]: Kills): Promise<string[]> {
    const folder = folders.copyOf(prepared);
    const tally = new Tally();
    try {
      const accepted = await killedFirst(folder, first, tally);
      for (const aim of others) await killedAgain(folder, aim, tally);
      const again = await startAgain(folder);
      try {
        await end(tally.over(again));
        const found = await outcomeOf(again, outside);
        const nothing = !accepted && problemsOf(found, before).length === 0;
        const problems = nothing ? [] : [...problemsOf(found, after), ...tally.problems(found, before)];
        if (found.effects.repeated > 1 + others.length) problems.push(`${found.effects.repeated} messages came again`);
        return problems.length === 0 ? [] : [accepted ? "accepted" : "not accepted", ...problems];
      } finally {
        await again.end("SIGKILL");
      }
    } finally {
      folders.remove(folder);
    }
  }

  /** @returns whether the request was accepted */
  async function killedFirst(folder: string, aim: Aim, tally: Tally): Promise<boolean> {
    outside.forget();
    const victim = await startVictim(folder, delay);
    await victim.aim(aim);
    const accepted = await scenario.request(tally.over(victim)).then(
      ({ status }) => status === 200,
      () => false,
    );
    // Where the order of writes differs there may be one less; then it ends by itself.
    await Promise.race([victim.ended, end(tally.over(victim)).catch(() => {})]);
    await victim.end("SIGKILL");
    return accepted;
  }

  async function killedAgain(folder: string, aim: Aim, tally: Tally): Promise<void> {
    const victim = await startAgain(folder, aim).catch(() => undefined);
    if (victim === undefined) return;
    await Promise.race([victim.ended, end(tally.over(victim)).catch(() => {})]);
    await victim.end("SIGKILL");
  }

  async function end(slipway: Victim): Promise<void> {
    await scenario.goOn?.(slipway, outside);
    await finalState(slipway);
  }
}

/** A program that starts in the same second as another one was killed cannot tell its work from its own. */
async function startAgain(folder: string, aim?: Aim): Promise<Victim> {
  await sleep(1000 - (Date.now() % 1000));
  return startVictim(folder, aim === undefined ? {} : { aim });
}

interface Outcome extends FinalState {
  effects: ReturnType<Outside["effects"]>;
  createdJobs: number;
}

async function outcomeOf(slipway: Victim, outside: Outside): Promise<Outcome> {
  const state = await finalState(slipway);
  const file = join(slipway.dataDir, createdJobsFile);
  const createdJobs = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
  return { ...state, effects: outside.effects(), createdJobs };
}

function problemsOf(found: Outcome, wanted: Outcome): string[] {
  const told = ({ effects: { scripts, messages, decisions }, createdJobs }: Outcome) =>
    JSON.stringify({ scripts, messages, decisions, createdJobs });
  const outside = told(found) === told(wanted) ? [] : [`found   ${told(found)}`, `wanted  ${told(wanted)}`];
  return [...differences(found, wanted), ...outside];
}

/** What was asked for, by whichever program was there to ask, and what was answered. */
class Tally {
  #sent = 0;
  #accepted = 0;

  over(victim: Victim): Victim {
    const call: Caller["call"] = async (method, path, options) => {
      // What a chat service says is no operation of anybody's here.
      if (method === "GET" || path.endsWith("/webhook")) return victim.call(method, path, options);
      this.#sent += 1;
      const answer = await victim.call(method, path, options);
      if (answer.status === 200) this.#accepted += 1;
      return answer as Awaited<ReturnType<typeof victim.call>> as never;
    };
    return { ...victim, call };
  }

  /** Everything that was accepted stands in the operation log once; what nobody was answered may stand there too. */
  problems(found: Outcome, before: Outcome): string[] {
    const recorded = found.operations - before.operations;
    if (recorded >= this.#accepted && recorded <= this.#sent) return [];
    return [`${recorded} operations recorded, ${this.#accepted} accepted, ${this.#sent} sent`];
  }
}
