import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { defineIstio } from "../../../harness/istioDefinitions.ts";
import { meshBoutiqueSuite } from "../../../harness/meshBoutique.ts";
import { meshSuite } from "../../../harness/meshSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

async function start() {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  await defineIstio(client);
  client.close();
  return { slipway, kubeconfig };
}

meshSuite("the sandbox cluster", start);
meshBoutiqueSuite("the sandbox cluster", start);
