import { describe, test, vi } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { startSlipway } from "../harness/slipway.ts";
import { statusSuite } from "../harness/statusSuite.ts";

vi.setConfig({ testTimeout: 180_000 });

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: status on a real cluster. Set KUBECONFIG to a Kubernetes API server to run it.");
  describe.skip("status on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  const open = async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig });
  statusSuite(operator.server, { realControllers: true }, open);
}
