import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { at } from "../../shared/manifest/workloads.ts";

/** Istio's kinds as far as a cluster without Istio needs them to keep objects of them. */
export async function defineIstio(client: ClusterClient): Promise<void> {
  for (const [kind, plural] of [
    ["VirtualService", "virtualservices"],
    ["Gateway", "gateways"],
    ["DestinationRule", "destinationrules"],
  ] as const)
    await client.apply({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.networking.istio.io` },
      spec: {
        group: "networking.istio.io",
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
}

/** The Service of an ingress gateway as Istio's chart makes it. */
export const gatewayService = {
  apiVersion: "v1",
  kind: "Service",
  namespace: "istio-system",
  name: "istio-ingressgateway",
};

/** Makes it, with an address at which it can be called from outside. */
export async function ingressGateway(client: ClusterClient): Promise<void> {
  const { apiVersion, kind, namespace, name } = gatewayService;
  await client.apply({ apiVersion, kind: "Namespace", metadata: { name: namespace } });
  const labels = { app: name, istio: "ingressgateway" };
  const ports = [
    { name: "status-port", port: 15021, targetPort: 15021 },
    { name: "http2", port: 80, targetPort: 80 },
    { name: "https", port: 443, targetPort: 443 },
  ];
  const spec = { type: "LoadBalancer", externalIPs: ["192.0.2.7"], selector: labels, ports };
  await client.apply({ apiVersion, kind, metadata: { name, namespace, labels }, spec });
}

/** Names of its open ports by their numbers. */
export async function openPorts(client: ClusterClient): Promise<Record<string, string>> {
  const ports = at(await client.get(gatewayService), ["spec", "ports"]) as { name: string; port: number }[];
  return Object.fromEntries(ports.map(({ name, port }) => [port, name]));
}
