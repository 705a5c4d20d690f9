import type { ReleaseTest } from "../../helm/releaseTests.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { findProblems } from "../../kube/problems/findProblems.ts";

const longest = 2000;

/** Why a test failed, from what its run left in the cluster: exit code and last lines, or what kept it from starting. */
export async function whyTestFailed(
  client: ClusterClient,
  namespace: string,
  { kind, name, lastRun }: ReleaseTest,
): Promise<string> {
  const apiVersion = { Pod: "v1", Job: "batch/v1" }[kind];
  const object = apiVersion && (await findObject(client, { apiVersion, kind, namespace, name }));
  if (!object)
    return `${kind} "${name}" failed and is gone, so that nothing tells why; does its helm.sh/hook-delete-policy say hook-failed?`;
  const problems = await findProblems(client, namespace, [...(await podsOf(client, namespace, object)), object]);
  const [told] = problems;
  if (told !== undefined) return told.message.slice(0, longest);
  return lastRun?.phase === "Failed" ? `${kind} "${name}" failed` : `${kind} "${name}" did not end in time`;
}

async function podsOf(client: ClusterClient, namespace: string, { kind, metadata }: LiveObject): Promise<LiveObject[]> {
  if (kind !== "Job") return [];
  const labelSelector = `batch.kubernetes.io/job-name=${metadata.name}`;
  return (await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector })).items;
}
