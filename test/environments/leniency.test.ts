import { readFileSync } from "node:fs";
import { leniencySuite } from "../harness/leniencySuite.ts";
import { startSlipway } from "../harness/slipway.ts";

leniencySuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
