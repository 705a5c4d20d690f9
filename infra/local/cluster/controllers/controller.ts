import { type Api, controllerManager } from "../api/api.ts";
import { ApiError } from "../api/errors.ts";
import { builtIn, type Resource } from "../api/resource.ts";
import type { KubeObject, OwnerReference } from "../model/object.ts";

/** One control loop. Keys are `namespace/name`; reconciling a key twice changes nothing the second time. */
export interface Controller {
  name: string;
  /** For each watched resource, the keys a changed object makes dirty. */
  watches: Record<string, (object: KubeObject) => string[]>;
  /** Brings the world closer to what is wanted; a number asks to be called again after so many milliseconds. */
  reconcile(namespace: string, name: string): number | undefined;
  /** Stops what the controller started outside the store. */
  close?(): Promise<void> | void;
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

/** The key of the controlling owner of a kind, for watches of dependents. */
export function ownerKey(kind: string): (object: KubeObject) => string[] {
  return (object) => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [`${object.metadata.namespace ?? ""}/${owner.name}`] : [];
  };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** A controlling reference to an owner, as the built-in controllers set it. */
export function ownedBy(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

const resources = new Map(builtIn.map((resource) => [resource.key, resource]));

/** What the controllers do with the API, in their words. */
export class Cluster {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  get<T extends KubeObject = KubeObject>(key: string, namespace: string, name: string): T | undefined {
    return this.api.store.get(key, namespace, name) as T | undefined;
  }

  list<T extends KubeObject = KubeObject>(key: string, namespace?: string): T[] {
    return this.api.store.list(key, namespace) as T[];
  }

  /** The objects of a resource that an owner controls. */
  owned<T extends KubeObject = KubeObject>(owner: KubeObject, key: string): T[] {
    return this.api.store
      .dependents(owner.metadata.uid)
      .filter(({ resource, object }) => resource === key && controllerOf(object)?.uid === owner.metadata.uid)
      .map(({ object }) => object as T);
  }

  create(key: string, namespace: string, body: object): KubeObject {
    return this.api.create(resourceOf(key), namespace, body, { manager: controllerManager, fieldValidation: "Ignore" });
  }

  /** Writes the object if it differs; metadata, spec and status are taken as they are. */
  write(key: string, object: KubeObject): KubeObject {
    return this.api.controllerWrite(resourceOf(key), object);
  }

  /** Writes a new status if it differs; members that are undefined are left out. */
  writeStatus(key: string, object: KubeObject, status: object): KubeObject {
    return this.api.controllerWrite(resourceOf(key), { ...object, status: compact(status) }, "status");
  }

  delete(key: string, object: KubeObject, policy: "Background" | "Foreground" = "Background"): void {
    const { namespace = "", name } = object.metadata;
    const resource = resources.get(key) ?? this.api.registry.byKey(key);
    if (!resource || !this.api.store.get(key, namespace, name)) return;
    this.api.delete(resource, namespace, name, { propagationPolicy: policy });
  }

  /** Removes a pod that has nothing left to stop. */
  removePod(pod: KubeObject): void {
    const { namespace = "", name } = pod.metadata;
    if (!this.api.store.get("pods", namespace, name)) return;
    this.api.delete(resourceOf("pods"), namespace, name, { gracePeriodSeconds: 0 });
  }

  /** Records an event about an object, as `kubectl describe` shows it. */
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, component: string): void {
    const namespace = about.metadata.namespace ?? "default";
    const now = new Date().toISOString();
    const time = `${now.slice(0, 19)}Z`;
    try {
      this.create("events", namespace, {
        metadata: { name: `${about.metadata.name}.${process.hrtime.bigint().toString(16)}`, namespace },
        involvedObject: {
          kind: about.kind,
          apiVersion: about.apiVersion,
          namespace,
          name: about.metadata.name,
          uid: about.metadata.uid,
          resourceVersion: about.metadata.resourceVersion,
        },
        type,
        reason,
        message,
        source: { component },
        reportingComponent: component,
        reportingInstance: "",
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

function resourceOf(key: string): Resource {
  const resource = resources.get(key);
  if (!resource) throw new Error(`no built-in resource ${key}`);
  return resource;
}

function compact(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
