import { readFileSync } from "node:fs";
import { describe, vi } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { callRulesSuite } from "../harness/callRulesSuite.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import { istioReleaseSuite } from "../harness/istioReleaseSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

async function open() {
  const slipway = await startSlipway({});
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  await defineIstio(client);
  client.close();
  return { slipway, kubeconfig };
}

describe("one after the other", () => istioReleaseSuite("the sandbox cluster", open));
describe("each with a server of its own", () => callRulesSuite("the sandbox cluster", open));
