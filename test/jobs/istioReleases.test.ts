import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import { istioReleaseSuite } from "../harness/istioReleaseSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

istioReleaseSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({});
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  await defineIstio(client);
  client.close();
  return { slipway, kubeconfig };
});
