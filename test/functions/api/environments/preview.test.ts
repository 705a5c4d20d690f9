import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { previewSuite } from "../../../harness/previewSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

previewSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
