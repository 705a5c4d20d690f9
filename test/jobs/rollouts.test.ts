import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { rolloutSuite } from "../harness/rolloutSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

rolloutSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
