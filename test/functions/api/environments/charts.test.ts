import { readFileSync } from "node:fs";
import { afterAll } from "vitest";
import { chartSuite } from "../../../harness/chartSuite.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

chartSuite("the sandbox cluster", async () => {
  slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});

afterAll(() => slipway.close());
