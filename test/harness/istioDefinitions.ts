import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";

/** Istio's kinds as far as a cluster without Istio needs them to keep objects of them. */
export async function defineIstio(client: ClusterClient): Promise<void> {
  for (const [kind, plural] of [
    ["VirtualService", "virtualservices"],
    ["Gateway", "gateways"],
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
