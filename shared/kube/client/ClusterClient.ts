import type { KubeObject } from "../../manifest/parseManifest.ts";
import type { Transport } from "./wire/transport.ts";

/** A kind of a cluster, as manifests name it. */
export interface KindRef {
  apiVersion: string;
  kind: string;
}

export interface ObjectRef extends KindRef {
  name: string;
  /** Absent for cluster-scoped objects. */
  namespace?: string | undefined;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

/** An object as a cluster returns it: what a manifest holds and what the server added. */
export type LiveObject = KubeObject & {
  metadata: {
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    ownerReferences?: OwnerReference[];
    managedFields?: ManagedFields[];
  };
};

export interface ManagedFields {
  apiVersion?: string;
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
  fieldsV1?: Record<string, unknown>;
}

/** What discovery tells about a kind. */
export interface ApiResource extends KindRef {
  plural: string;
  namespaced: boolean;
}

export interface CallOptions {
  /** Limit on the call with all its retries; the client's own default otherwise. */
  deadlineSeconds?: number;
  signal?: AbortSignal;
}

export interface ApplyOptions extends CallOptions {
  /** Take fields over that other managers hold. */
  force?: boolean;
  dryRun?: boolean;
  /** Default `slipway`. */
  fieldManager?: string;
  /** Answer with `metadata` alone; the rest of the object is then absent. */
  metadataOnly?: boolean;
}

export interface Applied {
  object: LiveObject;
  created: boolean;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces, or a cluster-scoped kind. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Ask for `metadata` alone: smaller answers, and contents of secrets are never read. */
  metadataOnly?: boolean;
  /** A list at least as new as this version, which the server may take from its cache; absent: the newest. */
  notOlderThan?: string | undefined;
  /** At most so many objects, in one page; absent: all of them. */
  most?: number;
}

export interface ObjectList {
  items: LiveObject[];
  /** Where a watch goes on from. */
  resourceVersion: string;
  /** There are more than were asked for. */
  cut?: boolean;
}

export interface RemoveOptions extends CallOptions {
  /** Default `Background`. */
  propagation?: "Background" | "Foreground" | "Orphan";
  /** Only the object with this uid. */
  uid?: string | undefined;
  gracePeriodSeconds?: number;
  dryRun?: boolean;
}

/** `listed` carries everything that exists: at the start without a resource version, and again after one expired. */
export type WatchEvent =
  | { type: "listed"; items: LiveObject[]; resourceVersion: string }
  | { type: "added" | "modified" | "deleted"; object: LiveObject; resourceVersion: string }
  | { type: "bookmark"; resourceVersion: string };

export interface WatchOptions extends Omit<ListOptions, "deadlineSeconds"> {
  /** Resume after this version; absent: list first. */
  resourceVersion?: string | undefined;
  /** How long one connection is kept before it is opened again; default 240 seconds. */
  connectionSeconds?: number;
}

export interface PodLogOptions {
  container: string;
  /** Go on with what is written until the container stops. */
  follow?: boolean;
  /** Of the run before the one that is under way. */
  previous?: boolean;
  /** Only this many of the last lines. */
  tailLines?: number;
  /** Only what is not older; 1 at least. */
  sinceSeconds?: number | undefined;
  /** The only limit on how long it takes. */
  signal: AbortSignal;
  /** Only lines that are not older than this time, instead of `sinceSeconds`: RFC 3339, of which clusters take whole seconds. */
  sinceTime?: string | undefined;
  /** Every line begins with its time and a space. */
  timestamps?: boolean;
}

export interface Patch {
  type: "merge" | "strategic" | "json";
  body: unknown;
}

export interface ClusterVersion {
  major: string;
  minor: string;
  gitVersion: string;
}

/**
 * One cluster. Every call has a deadline and one retry policy, and fails with a `ClusterError`: `TerminalClusterError`
 * when repeating is useless, `RetryableClusterError` when it is not.
 */
export interface ClusterClient {
  /** Where the cluster is, for messages; without credentials. */
  readonly address: string;
  version(options?: CallOptions): Promise<ClusterVersion>;
  /** Server-side apply as manager `slipway`: creates or changes; repeating it changes nothing. */
  apply(object: KubeObject, options?: ApplyOptions): Promise<Applied>;
  /** Fails with `ClusterAlreadyExists` when the name is taken. */
  create(object: KubeObject, options?: CallOptions & { dryRun?: boolean }): Promise<LiveObject>;
  /** Fails with `ClusterNotFound`. */
  get(ref: ObjectRef, options?: CallOptions): Promise<LiveObject>;
  /** Everything that matches, read page by page. A kind that the cluster does not serve is `ClusterKindUnknown`. */
  list(kind: KindRef, options?: ListOptions): Promise<ObjectList>;
  patch(ref: ObjectRef, patch: Patch, options?: CallOptions & { dryRun?: boolean }): Promise<LiveObject>;
  /**
   * Deletes; an object that is already gone, or has another uid, is no error.
   * @returns whether it is gone now: `removed`, `absent` before, or `removing` while finalizers hold it
   */
  remove(ref: ObjectRef, options?: RemoveOptions): Promise<"removed" | "absent" | "removing">;
  /** Events until `signal` ends it; survives closed connections and expired versions. */
  watch(kind: KindRef, options?: WatchOptions): AsyncIterable<WatchEvent>;
  /**
   * Opens the log of a container: its bytes as they come. The answer itself comes with the first byte, however late that
   * is, for a cluster keeps silent about a log that is followed until there is something in it.
   * Fails with `ClusterNotFound` for the pod, `ClusterInvalid` for a container that is not there or did not start yet.
   */
  podLog(pod: { namespace: string; name: string }, options: PodLogOptions): Promise<AsyncIterable<Uint8Array>>;
  /** Fails with `ClusterKindUnknown` after asking the cluster once more. */
  resource(kind: KindRef, options?: CallOptions): Promise<ApiResource>;
  /** Passes on what another program asks, with our credentials; any answer comes back as it is. */
  forward: Transport["forward"];
  /** Closes the kept connections; calls under way fail. */
  close(): void;
}
