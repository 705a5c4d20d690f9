import { describe, test, vi } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { chartTestSuite } from "../harness/chartTestSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined || process.env.SLIPWAY_NODE_REGISTRY === undefined) {
  console.warn("SKIPPED: tests of charts in real pods. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY to run them.");
  describe.skip("tests of charts in real pods: KUBECONFIG or SLIPWAY_NODE_REGISTRY is not set", () =>
    test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  chartTestSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
