import { crashSuite } from "../crash/crashSuite.ts";
import { scenarios } from "../crash/scenarios.ts";

/** Every write, before and after; two more than an undisturbed run had, because their number varies a little. */
for (const scenario of scenarios)
  crashSuite(scenario, (writes) =>
    Array.from({ length: writes.length + 2 }, (_, at) => at + 1).flatMap((number) => [
      { number, moment: "before" as const },
      { number, moment: "after" as const },
    ]),
  );
