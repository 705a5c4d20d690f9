import { readFileSync } from "node:fs";
import { startSlipway } from "../harness/slipway.ts";
import { takeoverSuite } from "../harness/takeoverSuite.ts";

takeoverSuite(
  "the sandbox cluster",
  async () => {
    const slipway = await startSlipway({ podDelayMilliseconds: 0 });
    return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
  },
  { numRuns: 5, seed: 1 },
);
