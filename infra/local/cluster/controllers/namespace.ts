import type { KubeObject } from "../model/object.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";

/** Gives each namespace its default service account and root certificate, and empties those that are being deleted. */
export function namespaceController(cluster: Cluster, certificate: string): Controller {
  return {
    name: "namespace",
    watches: {
      namespaces: (namespace) => [keyOf(namespace)],
      "*": (object) => (object.metadata.namespace ? [`/${object.metadata.namespace}`] : [`/${object.metadata.name}`]),
    },
    reconcile(_, name) {
      const namespace = cluster.get("namespaces", "", name);
      if (!namespace) return undefined;
      if (namespace.metadata.deletionTimestamp) empty(cluster, namespace);
      else furnish(cluster, name, certificate);
      return undefined;
    },
  };
}

function furnish(cluster: Cluster, name: string, certificate: string): void {
  if (!cluster.get("serviceaccounts", name, "default"))
    cluster.create("serviceaccounts", name, { metadata: { name: "default" } });
  if (!cluster.get("configmaps", name, "kube-root-ca.crt")) {
    cluster.create("configmaps", name, {
      metadata: {
        name: "kube-root-ca.crt",
        annotations: {
          "kubernetes.io/description":
            "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
        },
      },
      data: { "ca.crt": certificate },
    });
  }
}

function empty(cluster: Cluster, namespace: KubeObject): void {
  const name = namespace.metadata.name;
  const resources = cluster.api.store.resourcesIn(name);
  for (const key of resources) {
    for (const object of cluster.list(key, name)) if (!object.metadata.deletionTimestamp) cluster.delete(key, object);
  }
  if (cluster.api.store.resourcesIn(name).length > 0 || namespace.metadata.finalizers?.length) return;
  const live = cluster.get("namespaces", "", name);
  if (live) cluster.api.store.remove("namespaces", live);
}
