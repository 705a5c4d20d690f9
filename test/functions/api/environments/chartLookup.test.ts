import { readFileSync } from "node:fs";
import { chartLookupSuite } from "../../../harness/chartLookupSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartLookupSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
