import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartJobSuite } from "../harness/chartJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

chartJobSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.1/32" } });
  return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
});
