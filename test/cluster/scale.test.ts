import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { scaleSuite } from "../harness/scaleSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: large things on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("large things on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  scaleSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
