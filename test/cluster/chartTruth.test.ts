import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartTruthSuite } from "../harness/chartTruthSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

chartTruthSuite("a Kubernetes API server", async () => {
  const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
  return { slipway: await startSlipway({ kubeconfig }), kubeconfig };
});
