import { readFileSync } from "node:fs";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { defineIstio, ingressGateway } from "../harness/istioDefinitions.ts";
import type { Slipway } from "../harness/slipway.ts";
import type { Call } from "./walk.ts";

/** An environment becomes a base of sub-environments, and one like others again. */
export async function walkSharing(
  slipway: Slipway,
  call: Call,
  { prefix, kind, settled }: { prefix: string; kind: string; settled: (status: string) => Promise<unknown> },
): Promise<void> {
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  await defineIstio(client);
  const environment = `${prefix}/{envName}`;
  const ofEnvironment = { params: { envName: kind }, query: { projectKey: "walk" } };
  await call(`GET ${environment}/check/workloads/k8sservices`, ofEnvironment);
  await call(`GET ${environment}/check/workloads/k8services`, ofEnvironment);
  await call(`POST ${environment}/share/enable`, ofEnvironment);
  await settled("running");
  await call(`GET ${environment}/check/sharenv/{op}/ready`, {
    ...ofEnvironment,
    params: { envName: kind, op: "enable" },
  });
  await ingressGateway(client);
  await giveService(client, kind);
  client.close();
  const ofPortal = { ...ofEnvironment, params: { envName: kind, serviceName: "web" } };
  await call(`POST ${environment}/share/portal/{serviceName}`, {
    ...ofPortal,
    // The one body that is a list.
    body: [{ host: "walk.example.com", port_number: 80, port_protocol: "HTTP" }] as never,
  });
  await settled("running");
  await call(`GET ${environment}/share/portal/{serviceName}`, ofPortal);
  await call(`DELETE ${environment}/share/enable`, ofEnvironment);
  await settled("running");
}

/** A Service for the walk's one workload, as if the manifest of its service had one. */
async function giveService(client: ClusterClient, kind: string): Promise<void> {
  const { items } = await client.list({ apiVersion: "apps/v1", kind: "Deployment" });
  const web = items.find(({ metadata }) => metadata.namespace === `walk-${kind}` && metadata.name === "web");
  const { name = "", namespace = "", labels = {} } = web?.metadata ?? {};
  const spec = { selector: { app: name }, ports: [{ port: 80 }] };
  await client.apply({ apiVersion: "v1", kind: "Service", metadata: { name, namespace, labels }, spec });
}
