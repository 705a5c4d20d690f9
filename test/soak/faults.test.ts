import { describe } from "vitest";
import { allFaults, serviceFaultSuite } from "../faults/serviceFaults.ts";

const seeds = Array.from({ length: 10 }, (_, at) => at + 1);

describe("while a service fails", () => {
  serviceFaultSuite(allFaults, seeds);
});
