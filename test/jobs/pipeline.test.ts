import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { pipelineSettings } from "../harness/pipelineProject.ts";
import { pipelineSuite } from "../harness/pipelineSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

pipelineSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ settings: pipelineSettings });
  const { registryAddress, sandboxKubeconfigPath = "" } = slipway.runtime;
  return {
    slipway,
    kubeconfig: readFileSync(sandboxKubeconfigPath, "utf8"),
    registry: registryAddress,
    host: "127.0.0.1",
    runsImages: false,
  };
});
