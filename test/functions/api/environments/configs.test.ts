import { readFileSync } from "node:fs";
import { configSuite } from "../../../harness/configSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

configSuite("the sandbox", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
