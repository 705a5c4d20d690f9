import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { problemSuite } from "../../../harness/problemSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

problemSuite("the sandbox cluster", { realControllers: false, realContainers: false }, async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
