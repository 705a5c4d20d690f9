import type { Api } from "../api/api.ts";
import type { KubeObject } from "../model/object.ts";
import type { Cluster, Controller } from "./controller.ts";

const separator = "|";

/**
 * Deletes objects whose owners are all gone, and carries out foreground and orphaning deletions. Keys are
 * `resource|namespace/name`, since any resource can own and be owned.
 */
export function garbageCollector(cluster: Cluster): Controller {
  const uids = new Map<string, { resource: string; object: KubeObject }>();
  const { store } = cluster.api;
  for (const resource of store.resources()) {
    for (const object of store.list(resource)) uids.set(object.metadata.uid, { resource, object });
  }
  const controller: Controller = {
    name: "garbage",
    watches: {},
    reconcile(left, name) {
      const [resource = "", namespace = ""] = left.split(separator);
      const object = store.get(resource, namespace, name);
      if (!object) return undefined;
      const { finalizers = [] } = object.metadata;
      if (object.metadata.deletionTimestamp && finalizers.includes("orphan"))
        return orphan(cluster.api, resource, object);
      if (object.metadata.deletionTimestamp && finalizers.includes("foregroundDeletion")) {
        return foreground(cluster, resource, object);
      }
      const owners = object.metadata.ownerReferences ?? [];
      if (owners.length > 0 && owners.every((owner) => !uids.has(owner.uid)) && !object.metadata.deletionTimestamp) {
        cluster.delete(resource, object);
      }
      return undefined;
    },
    close: () => stop(),
  };
  const stop = store.subscribeAll((resource, change) => {
    if (change.type === "DELETED") uids.delete(change.object.metadata.uid);
    else uids.set(change.object.metadata.uid, { resource, object: change.object });
  });
  controller.watches["*"] = (object) => {
    const known = uids.get(object.metadata.uid);
    const own = known ? [garbageKey(known.resource, object)] : [];
    if (known && !object.metadata.deletionTimestamp) return object.metadata.ownerReferences ? own : [];
    const dependents = store.dependents(object.metadata.uid).map((d) => garbageKey(d.resource, d.object));
    const owners = (object.metadata.ownerReferences ?? []).flatMap((owner) => {
      const found = uids.get(owner.uid);
      return found?.object.metadata.deletionTimestamp ? [garbageKey(found.resource, found.object)] : [];
    });
    return [...own, ...dependents, ...owners];
  };
  return controller;
}

function garbageKey(resource: string, object: KubeObject): string {
  return `${resource}${separator}${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

function orphan(api: Api, resource: string, object: KubeObject): undefined {
  for (const dependent of api.store.dependents(object.metadata.uid)) {
    const { ownerReferences = [], ...metadata } = dependent.object.metadata;
    const rest = ownerReferences.filter((owner) => owner.uid !== object.metadata.uid);
    const kept = rest.length > 0 ? { ...metadata, ownerReferences: rest } : metadata;
    write(api, dependent.resource, { ...dependent.object, metadata: kept });
  }
  dropFinalizer(api, resource, object, "orphan");
}

/** The owner stays until every dependent that blocks it is gone. */
function foreground(cluster: Cluster, resource: string, object: KubeObject): undefined {
  const { store } = cluster.api;
  for (const dependent of store.dependents(object.metadata.uid)) {
    if (!dependent.object.metadata.deletionTimestamp) {
      const nested = store.dependents(dependent.object.metadata.uid).length > 0;
      cluster.delete(dependent.resource, dependent.object, nested ? "Foreground" : "Background");
    }
  }
  const blocking = store
    .dependents(object.metadata.uid)
    .some((d) => d.object.metadata.ownerReferences?.some((o) => o.uid === object.metadata.uid && o.blockOwnerDeletion));
  if (!blocking) dropFinalizer(cluster.api, resource, object, "foregroundDeletion");
}

function dropFinalizer(api: Api, resource: string, object: KubeObject, finalizer: string): undefined {
  const live = api.store.get(resource, object.metadata.namespace ?? "", object.metadata.name);
  if (!live) return;
  const { finalizers = [], ...metadata } = live.metadata;
  const rest = finalizers.filter((name) => name !== finalizer);
  write(api, resource, { ...live, metadata: rest.length > 0 ? { ...metadata, finalizers: rest } : metadata });
}

function write(api: Api, resource: string, object: KubeObject): void {
  const found = api.registry.byKey(resource);
  if (found) api.controllerWrite(found, object);
}
