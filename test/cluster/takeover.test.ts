import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { startSlipway } from "../harness/slipway.ts";
import { takeoverSuite } from "../harness/takeoverSuite.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: takeovers on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("takeovers on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  takeoverSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }), {
    numRuns: 12,
    seed: 2,
  });
}
