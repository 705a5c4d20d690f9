import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { scaleSuite } from "../harness/scaleSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 400_000 });

scaleSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
