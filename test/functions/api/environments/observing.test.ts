import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { observingSuite } from "../../../harness/observingSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

observingSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
