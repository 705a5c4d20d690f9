import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { sleepSuite } from "../harness/sleepSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: sleep on a real cluster. Set KUBECONFIG to a Kubernetes API server to run it.");
  describe.skip("sleep on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  sleepSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig }));
}
