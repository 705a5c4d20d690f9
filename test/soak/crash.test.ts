import { vi } from "vitest";
import { allScenarios } from "../crash/allScenarios.ts";
import { chosenKills } from "../crash/chosenKills.ts";
import { type Choice, crashSuite, type Kills } from "../crash/crashSuite.ts";
import { taskScenarios } from "../crash/taskScenarios.ts";
import type { Aim } from "../crash/writeCounter.ts";

/** Some hundred kills, of several seconds each. */
vi.setConfig({ testTimeout: 4 * 3_600_000 });

/** Before and after each of so many writes, and two more, because their number varies a little. */
function everywhere(writes: readonly string[]): Aim[] {
  return Array.from({ length: writes.length + 2 }, (_, at) => at + 1).flatMap((number) => [
    { number, moment: "before" as const },
    { number, moment: "after" as const },
  ]);
}

/** `SLIPWAY_SOAK_WRITES` chooses writes by their names, as `^(PATCH|DELETE) ` those to clusters; without it all count. */
const chosenWrites = new RegExp(process.env.SLIPWAY_SOAK_WRITES ?? "");

const everyWrite: Choice = (writes) =>
  everywhere(writes)
    .filter(({ number }) => chosenWrites.test(writes[number - 1] ?? ""))
    .map((aim): Kills => [aim]);

/** When everything that was started in the cluster is awaited: the reconciler and a new watcher go on from there. */
const everyWriteOfRestart: Choice = async (writes, recovery) => {
  const started = writes.findLastIndex((name) => /^PATCH .*\/(jobs|deployments)\//.test(name)) + 1;
  const awaited = started + 5;
  return everywhere(await recovery(awaited)).map((aim): Kills => [{ number: awaited, moment: "before" }, aim]);
};

for (const scenario of allScenarios) {
  crashSuite(scenario, everyWrite);
  const choose = chosenKills[scenario.name];
  if (choose !== undefined)
    crashSuite({ ...scenario, name: `chosen writes of: ${scenario.name}` }, (writes) => [choose(writes)]);
}
for (const scenario of taskScenarios)
  crashSuite({ ...scenario, name: `restart in the middle of: ${scenario.name}` }, everyWriteOfRestart);
