import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { startSlipway } from "../harness/slipway.ts";
import { statusSuite } from "../harness/statusSuite.ts";

vi.setConfig({ testTimeout: 120_000 });

statusSuite("the sandbox cluster", { realControllers: false }, async () => {
  const slipway = await startSlipway();
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
