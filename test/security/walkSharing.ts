import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import type { Slipway } from "../harness/slipway.ts";
import type { Call } from "./walk.ts";

/** A test environment becomes a base of sub-environments, and one like others again. */
export async function walkSharing(
  slipway: Slipway,
  call: Call,
  settled: (status: string) => Promise<unknown>,
): Promise<void> {
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  await defineIstio(client);
  client.close();
  const environment = "/openapi/environments/{envName}";
  const ofDev = { params: { envName: "dev" }, query: { projectKey: "walk" } };
  await call(`GET ${environment}/check/workloads/k8sservices`, ofDev);
  await call(`GET ${environment}/check/workloads/k8services`, ofDev);
  await call(`POST ${environment}/share/enable`, ofDev);
  await settled("running");
  await call(`GET ${environment}/check/sharenv/{op}/ready`, { ...ofDev, params: { envName: "dev", op: "enable" } });
  await call(`DELETE ${environment}/share/enable`, ofDev);
  await settled("running");
}
