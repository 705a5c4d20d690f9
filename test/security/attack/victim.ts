import { readFileSync } from "node:fs";
import type { ClusterClient } from "../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../shared/kube/client/connect.ts";
import { type RawItem, rawItems } from "../../harness/rawItems.ts";
import type { Slipway } from "../../harness/slipway.ts";

/** The project that is attacked: `makeSecretProject` made it, and another one of charts. */
export const victims = ["veil", "veil-charts"] as const;
export const victimNamespaces = ["veil-dev", "veil-prod", "veil-charts-dev", "veil-charts-prod"] as const;

/** What reads change by themselves, and what time does: who signed in, what is due, how much there is of something. */
const restless =
  /^(counter|visit|token|session|failures|operation|chain|log|idempotency|lease|cluster|reconciler|due|overview|cost|statistic|event|change-event|tokens)/;

const isVictims = ({ pk, projectKey }: RawItem): boolean =>
  projectKey === undefined ? /\bveil\b/.test(pk) : (victims as readonly unknown[]).includes(projectKey);

/** What the table holds of the victims, by key. */
export async function recordsOfVictims(): Promise<Map<string, string>> {
  const items = (await rawItems.all()).filter((item) => isVictims(item) && !restless.test(item.pk));
  return new Map(items.map((item) => [`${item.pk} ${item.sk}`, JSON.stringify(item)]));
}

const kinds = [
  ...["Secret", "ConfigMap", "Service", "PersistentVolumeClaim"].map((kind) => ({ apiVersion: "v1", kind })),
  ...["Deployment", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind })),
  ...["Job", "CronJob"].map((kind) => ({ apiVersion: "batch/v1", kind })),
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
];

export function clusterOf(slipway: Slipway): ClusterClient {
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  return connect({ kind: "kubeconfig", text, trusted: true });
}

/** What the cluster holds in the victims' namespaces: kind, name and content without status. */
export async function objectsOfVictims(client: ClusterClient): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const namespace of victimNamespaces)
    for (const kind of kinds)
      for (const { metadata, ...object } of (await client.list(kind, { namespace })).items) {
        const { status: _status, ...content } = object as Record<string, unknown>;
        const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...kept } = metadata;
        found.set(`${namespace} ${kind.kind} ${metadata.name}`, JSON.stringify({ kept, content }));
      }
  return found;
}

/** What is another after an attack than it was before. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name)} became ${after.get(name)}`);
}
