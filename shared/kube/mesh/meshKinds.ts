import type { CallOptions, ClusterClient, KindRef } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";

/** Kinds of Istio's networking API in a version that the cluster serves. */
export interface MeshKinds {
  virtualService: KindRef;
  gateway: KindRef;
  destinationRule: KindRef;
}

const versions = ["networking.istio.io/v1", "networking.istio.io/v1beta1"];

/** Istio's kinds by the newest version served (decisions 11.13); undefined for a cluster without Istio. */
export async function meshKindsOf(client: ClusterClient, call: CallOptions = {}): Promise<MeshKinds | undefined> {
  for (const apiVersion of versions) {
    try {
      await client.resource({ apiVersion, kind: "VirtualService" }, call);
      return {
        virtualService: { apiVersion, kind: "VirtualService" },
        gateway: { apiVersion, kind: "Gateway" },
        destinationRule: { apiVersion, kind: "DestinationRule" },
      };
    } catch (error) {
      if (!(error instanceof ClusterKindUnknown)) throw error;
    }
  }
  return undefined;
}
