import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { isRecord } from "../../../shared/manifest/schema/kubeObject.ts";
import type { CorpusPlace } from "./readCorpus.ts";

const ownMarks =
  /^(slipway\.dev\/|pod-security\.kubernetes\.io\/|s-|createdBy$|kubectl\.kubernetes\.io\/|pv\.kubernetes\.io\/|deployment\.kubernetes\.io\/|batch\.kubernetes\.io\/|controller-uid$|job-name$|volume\.)/;
const givenMetadata = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "namespace",
  "finalizers",
];
const givenSpec = ["clusterIP", "clusterIPs", "healthCheckNodePort", "volumeName", "nodeName"];

/** What two appliers of the same text must agree on: nothing that a server gives out, a controller adds or an applier marks. */
export function comparable({ status: _status, ...object }: LiveObject, { suffix, namespace }: CorpusPlace): unknown {
  const text = JSON.stringify(object, (key, value) => {
    if (key === "imagePullSecrets") return undefined;
    if (!isRecord(value)) return key === "nodePort" ? undefined : value;
    if (key === "metadata") return without(value, givenMetadata);
    if (key === "labels" || key === "annotations" || key === "matchLabels") return unmarked(value);
    return key === "spec" ? without(value, givenSpec) : value;
  });
  return JSON.parse(
    text
      .replaceAll(namespace, "NAMESPACE")
      .replaceAll(suffix, "SUFFIX")
      .replace(/kube-api-access-\w{5}/g, "kube-api-access"),
  );
}

function without(map: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

/** Labels or annotations that the text has; none are as good as an empty map. */
function unmarked(map: Record<string, unknown>): Record<string, unknown> | undefined {
  const kept = Object.entries(map).filter(([key]) => !ownMarks.test(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
