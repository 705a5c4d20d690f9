import { vi } from "vitest";
import { allScenarios } from "./allScenarios.ts";
import { smoke } from "./chosenKills.ts";
import { crashSuite } from "./crashSuite.ts";

vi.setConfig({ testTimeout: 240_000 });

for (const scenario of allScenarios) {
  const choose = smoke[scenario.name];
  if (choose !== undefined) crashSuite(scenario, (writes) => [choose(writes)]);
}
