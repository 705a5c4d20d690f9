import { readFileSync } from "node:fs";
import { chartWordSuite } from "../../../harness/chartWordSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartWordSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
