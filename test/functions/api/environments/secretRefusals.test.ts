import { readFileSync } from "node:fs";
import { secretRefusalSuite } from "../../../harness/secretRefusalSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

secretRefusalSuite(
  "the sandbox cluster",
  async (settings) => {
    const slipway = await startSlipway({ podDelayMilliseconds: 0, settings });
    return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
  },
  ["docker", "large"],
);
