import { describe, test } from "vitest";
import { loadOperatorKubeconfig } from "../../shared/kube/client/operatorKubeconfig.ts";
import { deployJobSuite } from "../harness/deployJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await loadOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: deploy jobs on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("deploy jobs on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  deployJobSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
