import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartLifeSuite } from "../../../harness/chartLifeSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

chartLifeSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
