import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { secretRefusalSuite } from "../harness/secretRefusalSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

secretRefusalSuite("a Kubernetes API server", async (settings) => {
  const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
  return { slipway: await startSlipway({ kubeconfig, settings }), kubeconfig };
});
