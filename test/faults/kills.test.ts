import { describe } from "vitest";
import { killSuite } from "./killSuite.ts";

// `npm run soak -- kills` kills at every write.
describe("an operation that is killed after every fourth of its writes", () => {
  killSuite((write, operation) => (write + operation) % 4 === 0);
});
