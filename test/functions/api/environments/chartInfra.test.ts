import { readFileSync } from "node:fs";
import { chartInfraSuite } from "../../../harness/chartInfraSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

chartInfraSuite(
  "the sandbox cluster",
  async () => {
    const slipway = await startSlipway();
    return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
  },
  "issuers",
);
