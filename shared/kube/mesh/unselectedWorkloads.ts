import type { CallOptions, ClusterClient } from "../client/ClusterClient.ts";
import { isWorkload, type LiveWorkload } from "../live/liveTypes.ts";
import { selects } from "../live/podsOf.ts";
import { readEnvironment } from "../live/readEnvironment.ts";
import type { MeshService } from "./familyObjects.ts";

const kinds = [
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
];

/** Deployments and StatefulSets of an environment that no Service of its namespace selects: `web.Deployment` (contract P 9). */
export async function unselectedWorkloads(
  client: ClusterClient,
  { environmentId, namespace }: { environmentId: string; namespace: string },
  call: CallOptions = {},
): Promise<string[]> {
  const [live, services] = await Promise.all([
    readEnvironment(client, { environmentId, namespace, kinds, ...call }),
    client.list({ apiVersion: "v1", kind: "Service" }, { namespace, ...call }),
  ]);
  const isSelected = ({ spec }: LiveWorkload) =>
    services.items.some((service: MeshService) =>
      selects({ matchLabels: service.spec?.selector ?? {} }, spec?.template?.metadata?.labels ?? {}),
    );
  return live
    .filter(isWorkload)
    .filter((workload) => !isSelected(workload))
    .map(({ kind, metadata }) => `${metadata.name}.${kind}`)
    .sort();
}
