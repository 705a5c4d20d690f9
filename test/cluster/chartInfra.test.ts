import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { chartInfraSuite } from "../harness/chartInfraSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

chartInfraSuite("a Kubernetes API server", async () => {
  const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
  return { slipway: await startSlipway({ kubeconfig }), kubeconfig };
});
