import { readFileSync } from "node:fs";
import { describe, test, vi } from "vitest";
import { hasGit } from "../harness/gitServer.ts";
import { pipelineSettings } from "../harness/pipelineProject.ts";
import { pipelineSuite } from "../harness/pipelineSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

if (!hasGit) {
  console.warn("SKIPPED: a pipeline on the sandbox cluster. It needs git on this machine.");
  describe.skip("a pipeline on the sandbox cluster: git is not installed", () => test("skipped", () => {}));
} else {
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
}
