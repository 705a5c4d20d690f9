import { any, definitionOf, namedType, type RawSchema, type Type } from "../schema/types.ts";

/** One served resource: a kind in one version. */
export interface Resource {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  categories: string[];
  namespaced: boolean;
  status: boolean;
  scale: boolean;
  type: Type;
  /** Where its objects are kept: the plural with the group, whatever the version. */
  key: string;
  /** The definition this custom resource was made from; absent for built-in kinds. */
  custom?: string;
  columns?: { name: string; path: string }[];
  /** The published schema of a custom resource. */
  schema?: RawSchema;
}

type Row = [group: string, kind: string, plural: string, shortNames: string, scope: "N" | "C", more: string];

/** Built-in kinds; the last column holds subresources (status, scale) and categories (all). */
const rows: Row[] = [
  ["", "ConfigMap", "configmaps", "cm", "N", ""],
  ["", "Endpoints", "endpoints", "ep", "N", ""],
  ["", "Event", "events", "ev", "N", ""],
  ["", "LimitRange", "limitranges", "limits", "N", ""],
  ["", "Namespace", "namespaces", "ns", "C", "status"],
  ["", "Node", "nodes", "no", "C", "status"],
  ["", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "N", "status"],
  ["", "PersistentVolume", "persistentvolumes", "pv", "C", "status"],
  ["", "Pod", "pods", "po", "N", "status all"],
  ["", "PodTemplate", "podtemplates", "", "N", ""],
  ["", "ReplicationController", "replicationcontrollers", "rc", "N", "status scale all"],
  ["", "ResourceQuota", "resourcequotas", "quota", "N", "status"],
  ["", "Secret", "secrets", "", "N", ""],
  ["", "ServiceAccount", "serviceaccounts", "sa", "N", ""],
  ["", "Service", "services", "svc", "N", "status all"],
  ["apps", "ControllerRevision", "controllerrevisions", "", "N", ""],
  ["apps", "DaemonSet", "daemonsets", "ds", "N", "status all"],
  ["apps", "Deployment", "deployments", "deploy", "N", "status scale all"],
  ["apps", "ReplicaSet", "replicasets", "rs", "N", "status scale all"],
  ["apps", "StatefulSet", "statefulsets", "sts", "N", "status scale all"],
  ["autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "N", "status all"],
  ["batch", "CronJob", "cronjobs", "cj", "N", "status all"],
  ["batch", "Job", "jobs", "", "N", "status all"],
  ["networking.k8s.io", "IngressClass", "ingressclasses", "", "C", ""],
  ["networking.k8s.io", "Ingress", "ingresses", "ing", "N", "status"],
  ["networking.k8s.io", "NetworkPolicy", "networkpolicies", "netpol", "N", ""],
  ["policy", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", "N", "status"],
  ["rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", "", "C", ""],
  ["rbac.authorization.k8s.io", "ClusterRole", "clusterroles", "", "C", ""],
  ["rbac.authorization.k8s.io", "RoleBinding", "rolebindings", "", "N", ""],
  ["rbac.authorization.k8s.io", "Role", "roles", "", "N", ""],
  ["storage.k8s.io", "StorageClass", "storageclasses", "sc", "C", ""],
  ["apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", "crd,crds", "C", "status"],
  ["scheduling.k8s.io", "PriorityClass", "priorityclasses", "pc", "C", ""],
  ["coordination.k8s.io", "Lease", "leases", "", "N", ""],
  ["discovery.k8s.io", "EndpointSlice", "endpointslices", "", "N", ""],
];

function fromRow([group, kind, plural, shortNames, scope, more]: Row): Resource {
  const version = group === "autoscaling" ? "v2" : "v1";
  const definition = definitionOf(group, version, kind);
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: shortNames ? shortNames.split(",") : [],
    categories: more.includes("all") ? ["all"] : group === "apiextensions.k8s.io" ? ["api-extensions"] : [],
    namespaced: scope === "N",
    status: more.includes("status"),
    scale: more.includes("scale"),
    type: definition ? namedType(definition) : any,
    key: group ? `${plural}.${group}` : plural,
  };
}

export const builtIn: readonly Resource[] = rows.map(fromRow);

/** `apps/v1`, or `v1` in the core group. */
export function groupVersion(resource: { group: string; version: string }): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

/** The resources served right now: the built-in ones and those of established definitions. */
export class Registry {
  readonly #served = new Map<string, Resource>();

  constructor() {
    for (const resource of builtIn) this.#served.set(this.#path(resource), resource);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#served.get(`${group}/${version}/${plural}`);
  }

  /** The resource of a storage key (any version of it). */
  byKey(key: string): Resource | undefined {
    return this.all().find((resource) => resource.key === key);
  }

  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all().find((resource) => groupVersion(resource) === apiVersion && resource.kind === kind);
  }

  all(): Resource[] {
    return [...this.#served.values()];
  }

  hasGroup(group: string, version?: string): boolean {
    return this.all().some((r) => r.group === group && (version === undefined || r.version === version));
  }

  /** Replaces what is served of one definition. */
  serve(definition: string, resources: Resource[]): void {
    for (const [path, resource] of this.#served) if (resource.custom === definition) this.#served.delete(path);
    for (const resource of resources) this.#served.set(this.#path(resource), resource);
  }

  #path(resource: Resource): string {
    return `${resource.group}/${resource.version}/${resource.plural}`;
  }
}
