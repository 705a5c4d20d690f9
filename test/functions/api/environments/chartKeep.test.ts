import { readFileSync } from "node:fs";
import { chartKeepSuite } from "../../../harness/chartKeepSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartKeepSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
