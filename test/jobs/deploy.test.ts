import { readFileSync } from "node:fs";
import { describe, test, vi } from "vitest";
import { deployJobSuite } from "../harness/deployJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";
import { tasksAreServed } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

if (tasksAreServed) {
  deployJobSuite("the sandbox cluster", async () => {
    const slipway = await startSlipway();
    return { slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") };
  });
} else {
  console.warn("SKIPPED: deploy jobs. The endpoint that starts tasks is not served yet.");
  describe.skip("deploy jobs: tasks cannot be started yet", () => test("skipped", () => {}));
}
