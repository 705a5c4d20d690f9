import { type Dict, dictAt, dictsAt, equal, isDict, type KubeObject } from "../model/object.ts";
import type { Store } from "../store/store.ts";
import { allocateService } from "./addresses.ts";
import type { Resource } from "./resource.ts";

/** Kinds whose `metadata.generation` counts the changes of their spec. */
const counted = new Set([
  "pods",
  "replicationcontrollers",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "replicasets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "ingresses.networking.k8s.io",
  "ingressclasses.networking.k8s.io",
  "networkpolicies.networking.k8s.io",
  "poddisruptionbudgets.policy",
  "customresourcedefinitions.apiextensions.k8s.io",
  "priorityclasses.scheduling.k8s.io",
  "endpointslices.discovery.k8s.io",
]);

function countsGenerations(resource: Resource): boolean {
  return counted.has(resource.key) || resource.custom !== undefined;
}

/** What the server itself sets on a new object, in place: generation, first status, addresses, generated selectors. */
export function prepareCreate(store: Store, resource: Resource, object: KubeObject): void {
  if (countsGenerations(resource)) object.metadata.generation = 1;
  if (resource.status) resetStatus(resource, object);
  if (resource.key === "services") allocateService(store, object);
  if (resource.key === "namespaces") dictAt(object, "spec").finalizers ??= ["kubernetes"];
  if (resource.key === "jobs.batch") labelJob(object);
  if (resource.key === "pods") preparePod(object);
}

function resetStatus(resource: Resource, object: KubeObject): void {
  const status = object.status;
  delete object.status;
  if (resource.custom) return;
  switch (resource.key) {
    case "pods":
      object.status = { phase: "Pending", qosClass: qosClass(dictAt(object, "spec")) };
      break;
    case "namespaces":
      object.status = { phase: "Active" };
      break;
    case "persistentvolumeclaims":
    case "persistentvolumes":
      object.status = { phase: "Pending" };
      break;
    case "services":
    case "ingresses.networking.k8s.io":
      object.status = { loadBalancer: {} };
      break;
    case "statefulsets.apps":
    case "replicasets.apps":
      object.status = { replicas: 0 };
      break;
    case "daemonsets.apps":
      object.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
      break;
    case "nodes":
      object.status = status;
      break;
    default:
      object.status = {};
  }
}

function preparePod(object: KubeObject): void {
  const spec = dictAt(object, "spec");
  if (!spec.serviceAccountName) spec.serviceAccountName = "default";
  spec.serviceAccount = spec.serviceAccountName;
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  const tolerations = dictsAt(spec, "tolerations");
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if (!tolerations.some((toleration) => toleration.key === key)) {
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
  spec.tolerations = tolerations;
}

function qosClass(spec: Dict): string {
  const containers = [...dictsAt(spec, "containers"), ...dictsAt(spec, "initContainers")];
  const amounts = (container: Dict, which: string, what: string) => dictAt(container, "resources", which)[what];
  const all = containers.flatMap((c) =>
    ["requests", "limits"].flatMap((w) => ["cpu", "memory"].map((what) => amounts(c, w, what))),
  );
  if (all.every((amount) => amount === undefined)) return "BestEffort";
  const guaranteed = containers.every((container) =>
    ["cpu", "memory"].every((what) => {
      const limit = amounts(container, "limits", what);
      return limit !== undefined && amounts(container, "requests", what) === limit;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

/** A Job selects its pods by its own uid unless it says otherwise. */
function labelJob(object: KubeObject): void {
  const spec = dictAt(object, "spec");
  if (spec.manualSelector === true || !isDict(spec.template)) return;
  const { uid, name } = object.metadata;
  const metadata = dictAt(spec.template, "metadata");
  spec.selector ??= { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  spec.template = {
    ...spec.template,
    metadata: {
      ...metadata,
      labels: {
        ...dictAt(metadata, "labels"),
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
      },
    },
  };
  object.metadata.labels ??= dictAt(spec.template, "metadata", "labels") as Record<string, string>;
}

/** The object to store for a replacement: server-owned metadata from the old one, spec or status kept apart. */
export function prepareUpdate(
  store: Store,
  resource: Resource,
  object: KubeObject,
  old: KubeObject,
  subresource: "status" | "scale" | undefined,
): KubeObject {
  if (subresource === "status") {
    const { status: _, ...rest } = old;
    return object.status === undefined ? rest : { ...rest, status: object.status };
  }
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion, generation } =
    old.metadata;
  const next: KubeObject = { ...object, metadata: { ...object.metadata, uid, creationTimestamp, resourceVersion } };
  restore(next.metadata, {
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation,
    generateName: old.metadata.generateName,
  });
  if (deletionTimestamp) keepFinalizers(next, old);
  if (resource.status) {
    delete next.status;
    if (old.status !== undefined) next.status = old.status;
  }
  if (resource.key === "services") allocateService(store, next, old);
  if (resource.key === "daemonsets.apps") countTemplates(next, old);
  if (countsGenerations(resource) && !equal(contentOf(next), contentOf(old))) {
    next.metadata.generation = (generation ?? 0) + 1;
  }
  return next;
}

function restore(metadata: Dict, fields: Dict): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) delete metadata[name];
    else metadata[name] = value;
  }
}

/** An object that is being deleted takes no new finalizers. */
function keepFinalizers(next: KubeObject, old: KubeObject): void {
  const allowed = new Set(old.metadata.finalizers ?? []);
  const kept = (next.metadata.finalizers ?? []).filter((finalizer) => allowed.has(finalizer));
  if (kept.length > 0) next.metadata.finalizers = kept;
  else delete next.metadata.finalizers;
}

/** What counts as a change of the spec; of a Deployment its annotations do too. */
function contentOf(object: KubeObject): Dict {
  const { metadata, status: _, apiVersion: __, kind, ...content } = object;
  return kind === "Deployment" ? { ...content, annotations: metadata.annotations ?? {} } : content;
}

const templateGeneration = "deprecated.daemonset.template.generation";

function countTemplates(next: KubeObject, old: KubeObject): void {
  const known = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
  const same = equal(dictAt(next, "spec", "template"), dictAt(old, "spec", "template"));
  next.metadata.annotations = { ...next.metadata.annotations, [templateGeneration]: String(same ? known : known + 1) };
}
