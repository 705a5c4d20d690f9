import { describe, test, vi } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { chartLifeSuite } from "../harness/chartLifeSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: the life of charts on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("the life of charts on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  chartLifeSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
