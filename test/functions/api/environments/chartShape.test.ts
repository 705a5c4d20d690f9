import { readFileSync } from "node:fs";
import { chartShapeSuite } from "../../../harness/chartShapeSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartShapeSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
