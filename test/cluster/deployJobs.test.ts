import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { deployJobSuite } from "../harness/deployJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: deploy jobs on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("deploy jobs on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  // A cluster that does not answer is one on this machine.
  const settings = { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" };
  deployJobSuite(operator.server, async () => ({ slipway: await startSlipway({ kubeconfig, settings }), kubeconfig }));
}
