import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartTestSuite } from "../../../harness/chartTestSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000 });

chartTestSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
