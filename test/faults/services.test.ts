import { describe } from "vitest";
import { allFaults, serviceFaultSuite } from "./serviceFaults.ts";

// `npm run soak -- faults` has every fault, with ten seeds.
describe("while everything fails now and then", () => {
  serviceFaultSuite(allFaults.slice(-1), [36]);
});
