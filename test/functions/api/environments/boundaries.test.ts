import { readFileSync } from "node:fs";
import { boundarySuite } from "../../../harness/boundarySuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

boundarySuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
