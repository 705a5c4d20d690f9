import { changeLabel, environmentLabel } from "../../kube/apply/marks.ts";
import type { CallOptions, ClusterClient } from "../../kube/client/ClusterClient.ts";

/** One revision of a release, as Helm's own record in the cluster tells. */
export interface LiveRelease {
  revision: number;
  /** `deployed`, `superseded`, `failed`, `pending-upgrade`, … */
  status: string;
  /** The environment whose it is; undefined for one that others made. */
  environmentId: string | undefined;
  /** The change of the environment that it was made for. */
  changeId: string | undefined;
  /** The Secret that holds it. */
  secret: string;
}

/** The revisions of a release, the newest first; their contents are not read. */
export async function liveReleases(
  client: ClusterClient,
  { namespace, release }: { namespace: string; release: string },
  call: CallOptions = {},
): Promise<LiveRelease[]> {
  const labelSelector = `owner=helm,name=${release}`;
  const secrets = { apiVersion: "v1", kind: "Secret" };
  const { items } = await client.list(secrets, { namespace, labelSelector, metadataOnly: true, ...call });
  return items
    .map(({ metadata: { name, labels = {} } }) => ({
      revision: Number(labels.version ?? 0),
      status: labels.status ?? "",
      environmentId: labels[environmentLabel],
      changeId: labels[changeLabel],
      secret: name,
    }))
    .sort((a, b) => b.revision - a.revision);
}

/** A revision that a Helm which was cut off left behind: no process works on it while we hold the release's lease. */
export const isPending = ({ status }: LiveRelease): boolean => status.startsWith("pending-");
