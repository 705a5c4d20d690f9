import { readFileSync } from "node:fs";
import { SqliteEngine } from "../../infra/local/table/sqliteEngine.ts";
import { tableFile } from "../../infra/local/table/startTable.ts";
import type { Delivery } from "../../shared/integrations/notify/store/deliveries.ts";
import type { LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { ClusterKindUnknown } from "../../shared/kube/client/errors.ts";
import { waitFor } from "../harness/waitFor.ts";
import type { Started } from "./child.ts";

type Item = Record<string, unknown> & { pk: string; sk: string };

/** Everything that a change leaves behind, without what differs from run to run. */
export interface FinalState {
  items: unknown[];
  objects: unknown[];
  /** Mutations that the operation log has as accepted. */
  operations: number;
}

/** Waits until nothing is under way any more; only looks, so that nobody is helped along. */
export async function finalState(at: Started): Promise<FinalState> {
  await waitFor("all work to be done", async () => !scan(at).some(isOpen), 100);
  const items = scan(at);
  const operations = items.filter(isAccepted).length;
  const counters = items.filter(({ type }) => type === "task-slots");
  const slots = { slots: counters.reduce((sum, { running }) => sum + Number(running), 0) };
  const kept = items.filter((item) => isKept(item) && !counters.includes(item));
  return { items: [...kept.map(normalItem), slots], objects: await clusterObjects(at), operations };
}

/** What stands in one of two states only, as text. */
export function differences(found: FinalState, wanted: FinalState): string[] {
  const [ours, theirs] = [found, wanted].map(({ items, objects }) =>
    [...items, ...objects].map((one) => JSON.stringify(one)),
  ) as [string[], string[]];
  const extra = ours.filter((one) => !theirs.includes(one)).map((one) => `found   ${one}`);
  const missing = theirs.filter((one) => !ours.includes(one)).map((one) => `wanted  ${one}`);
  return [...extra, ...missing];
}

function isOpen(item: Item): boolean {
  // The task is over; the reconciler takes the record away at its next look.
  if (item.type === "rollout" && item.phase === "over") return false;
  return item.duePk !== undefined || item.pk.startsWith("waits#");
}

/** What happened on the way is no part of the outcome: logs, counters, leases, and the plans of changes. */
function isKept({ pk }: Item): boolean {
  return /^(environment|service|project|registry|cluster|task|tasks|triggered|task-waiters|deliveries|release-plan|release-plan-log|delivery-version|delivery-versions|delivery-version-name|image-use)#|^task-queue/.test(
    pk,
  );
}

function isAccepted({ type, summary }: Item): boolean {
  return type === "operation-log" && (summary as { status: number }).status === 200;
}

function scan({ dataDir }: Started): Item[] {
  const engine = new SqliteEngine(tableFile(dataDir));
  try {
    return [...engine.scan()] as Item[];
  } finally {
    engine.close();
  }
}

/** How often an execution had to be started, its tokens and what else is drawn by lot are no part of the outcome either. */
const differing = new Set([
  ...["version", "changeId", "kubeConfig", "attempt", "stageToken", "taskToken", "instanceCode", "slot", "queued"],
]);

/** Unix seconds; nothing else that is stored is as large. */
const earliestTime = 1_600_000_000;

function normalItem(item: Item): unknown {
  if (item.type === "delivery") return outcomeOf(item);
  if (item.type === "environment-manifest") return normal({ ...item, applied: appliedOf(item) });
  // A project without environments may have had some.
  return normal(item.type === "project" ? { ...item, environments: item.environments ?? 0 } : item);
}

/** How often it had to be tried, and in which words it was told, is no part of the outcome. */
function outcomeOf({ delivery }: Item): unknown {
  const { taskId, jobName, event, index, type, status, partsSent } = delivery as Delivery;
  return { taskId, jobName, event, index, type, status, partsSent };
}

/** Which objects are recorded as applied; the marks beside them are the cluster's own versions. */
function appliedOf({ applied }: Item): unknown {
  const { inline } = applied as { inline: string };
  const { refs, marks } = JSON.parse(inline) as { refs: unknown[]; marks: Record<string, string> };
  return { refs, marked: Object.keys(marks).sort() };
}

/** The event of a rollout that was taken back while its former pods were ready; elsewhere the error ends with why not. */
function isSaidOfReadyPods(value: unknown): boolean {
  return (value as { message?: unknown } | null)?.message === "everything is as it was before the rollout";
}

/** Ids and times of this run are replaced or left out, wherever they stand. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isSaidOfReadyPods(one)).map(normal);
  if (typeof value === "number" && value >= earliestTime) return "<time>";
  if (typeof value === "string")
    return (
      value
        .replace(/\b[0-9a-f]{24}\b/g, "<id>")
        .replace(/\bwait#[0-9a-f]{32}\b/g, "wait#<token>")
        // Milliseconds in a sort key.
        .replace(/^\d{13}#/, "<time>#")
        // When pods were restarted, and when something happened in a rollout.
        .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+Z?/g, "<time>")
        // Former pods were not ready in that moment (`isSaidOfReadyPods`).
        .replace(/; the new pods keep the traffic until the former ones are ready again$/, "")
        // Of a list whose newest come first.
        .replace(/^\d{12}#/, "<time>#")
        // It holds the environment's id.
        .replace(/(?<=content-hash: )[0-9a-f]{64}\b/g, "<hash>")
        .replace(/127\.0\.0\.1:\d+/, "<host>")
    );
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !differing.has(name));
  return Object.fromEntries(kept.sort().map(([name, content]) => [name, normal(content)]));
}

const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "Service"],
  ["v1", "ServiceAccount"],
  ["apps/v1", "Deployment"],
  ["batch/v1", "Job"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
] as const;

/** In a mesh alone. */
const meshKinds = ["VirtualService", "DestinationRule"].map((kind) => ({ apiVersion: "networking.istio.io/v1", kind }));

/** Namespaces and objects as the cluster has them, but for the hash, which holds the environment's id; a deployment's generation tells how often it was changed. */
async function clusterObjects({ kubeconfigPath }: Started): Promise<unknown[]> {
  const client = connect({ kind: "kubeconfig", text: readFileSync(kubeconfigPath, "utf8"), trusted: true });
  try {
    await waitFor("the namespace to be gone or to stay", async () => {
      const { items } = await client.list({ apiVersion: "v1", kind: "Namespace" });
      return !items.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    });
    const namespaces = (await client.list({ apiVersion: "v1", kind: "Namespace" })).items;
    const lists = await Promise.all(
      kinds.map(async ([apiVersion, kind]) => (await client.list({ apiVersion, kind })).items),
    );
    const routes = await Promise.all(meshKinds.map((kind) => client.list(kind).then(({ items }) => items, noneServed)));
    return [...namespaces, ...lists.flat(), ...routes.flat()]
      .filter(
        ({ metadata: { name, namespace } }) => !`${namespace ?? name}`.startsWith("kube-") && name !== "kubernetes",
      )
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      .map(({ metadata, ...rest }) => {
        const { name, namespace, labels, generation } = metadata;
        const annotations = Object.keys(metadata.annotations ?? {}).sort();
        const managers = [...new Set((metadata.managedFields ?? []).map(({ manager }) => manager))].sort();
        const { status: _status, ...content } = rest as Record<string, unknown>;
        const whole = { ...content, metadata: { name, namespace, labels, annotations, generation, managers } };
        return normal(withoutAddresses(withoutRelease(whole)));
      });
  } finally {
    client.close();
  }
}

function noneServed(error: unknown): LiveObject[] {
  if (error instanceof ClusterKindUnknown) return [];
  throw error;
}

function placeOf({ kind, metadata: { name, namespace } }: LiveObject): string {
  return `${namespace ?? ""}/${kind}/${name}`;
}

/** Of Helm's own record of a revision what `helm history` tells; the rest is packed, with its times. */
function withoutRelease(
  object: Record<string, unknown> & { metadata: { labels?: Record<string, string> | undefined } },
) {
  if (object.type !== "helm.sh/release.v1") return object;
  const { modifiedAt: _at, createdAt: _made, ...labels } = object.metadata.labels ?? {};
  return { ...object, data: undefined, metadata: { ...object.metadata, labels } };
}

/** Addresses are handed out in the order of creation, which is free within a wave. */
function withoutAddresses(object: Record<string, unknown>): Record<string, unknown> {
  const { clusterIP: _ip, clusterIPs: _ips, ...spec } = (object.spec ?? {}) as Record<string, unknown>;
  return { ...object, spec };
}
