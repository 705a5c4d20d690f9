import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartValuesSuite } from "../../../harness/chartValuesSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

chartValuesSuite("the sandbox cluster", async (settings) => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0, settings });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
