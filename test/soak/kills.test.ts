import { describe } from "vitest";
import { killSuite } from "../faults/killSuite.ts";

describe("an operation that is killed after each of its writes", () => {
  killSuite(() => true);
});
