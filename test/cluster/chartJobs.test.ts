import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { chartJobSuite } from "../harness/chartJobSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: jobs and charts on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("jobs and charts on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  chartJobSuite(operator.server, async () => ({
    slipway: await startSlipway({ kubeconfig, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.1/32" } }),
    kubeconfig,
  }));
}
