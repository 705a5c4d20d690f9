import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { problemSuite } from "../harness/problemSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);
const realContainers = process.env.SLIPWAY_NODE_REGISTRY !== undefined;

if (operator === undefined) {
  console.warn("SKIPPED: problems on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("problems on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  if (!realContainers) console.warn("SKIPPED: problems of real containers. Set SLIPWAY_NODE_REGISTRY to run them.");
  const open = async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig });
  problemSuite(operator.server, { realControllers: true, realContainers }, open);
}
