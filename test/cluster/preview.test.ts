import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { previewSuite } from "../harness/previewSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: previews on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("previews on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  previewSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
