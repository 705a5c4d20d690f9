import { readFileSync } from "node:fs";
import { chartTruthSuite } from "../../../harness/chartTruthSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartTruthSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
