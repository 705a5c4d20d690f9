import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { chartMeshSuite } from "../../../harness/chartMeshSuite.ts";
import { defineIstio } from "../../../harness/istioDefinitions.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

chartMeshSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  await defineIstio(client);
  client.close();
  return { slipway, kubeconfig };
});
