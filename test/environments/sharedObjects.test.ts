import { readFileSync } from "node:fs";
import { sharedObjectSuite } from "../harness/sharedObjectSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

sharedObjectSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
