import { describe, test } from "vitest";
import { distributionProgram, startDistribution } from "../harness/distribution.ts";
import { copySuite } from "../harness/imageSuite.ts";

const program = distributionProgram();

if (program === undefined) {
  console.warn("SKIPPED: copies between reference registries. Install docker-registry, as a cluster's node has it.");
  describe.skip("the reference registry: there is no docker-registry", () => test("skipped", () => {}));
} else copySuite("distribution", () => startDistribution(program));
