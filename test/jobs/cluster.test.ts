import { readFileSync } from "node:fs";
import { describe, test, vi } from "vitest";
import { clusterJobSuite } from "../harness/clusterJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";
import { tasksAreServed } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

if (tasksAreServed) {
  clusterJobSuite("the sandbox cluster", async () => {
    const slipway = await startSlipway();
    return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
  });
} else {
  console.warn("SKIPPED: cluster jobs. The endpoint that starts tasks is not served yet.");
  describe.skip("cluster jobs: tasks cannot be started yet", () => test("skipped", () => {}));
}
