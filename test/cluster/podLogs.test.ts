import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { podLogSuite } from "../harness/podLogSuite.ts";
import { startSlipway } from "../harness/slipway.ts";
import { rawClient } from "../infra/local/cluster/rawClient.ts";

const operator = await readOperatorKubeconfig(process.env);

/** Requests of logs that the API server is answering, as its own metrics have it. */
const gauge = /^apiserver_longrunning_requests\{[^}]*resource="pods"[^}]*subresource="log"[^}]*\} (\d+)$/m;

if (operator === undefined) {
  console.warn("SKIPPED: logs of a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("logs of a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  podLogSuite(operator.server, async () => {
    const raw = rawClient(kubeconfig);
    return {
      slipway: await startSlipway({ kubeconfig }),
      kubeconfig,
      log: Array.from({ length: 20 }, (_, line) => `line ${line + 1} of a pod's log`),
      openLogs: async () => Number(gauge.exec(String((await raw.send("GET", "/metrics")).body))?.[1] ?? 0),
    };
  });
}
