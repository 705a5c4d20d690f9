import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import type { LiveIndex } from "../live/readLive.ts";
import { contentHash } from "./contentHash.ts";
import { contentHashAnnotation, environmentLabel, serviceLabel } from "./marks.ts";
import { type LabelScope, objectLabels, type PreparedObject } from "./prepareObjects.ts";

/** What becomes of a cluster-scoped object that a service applies. */
export type Settled =
  /** As it is sent: the labels are those of its first owner. `replaced`: the object that was listed is gone. */
  { one: PreparedObject; replaced?: boolean; conflict?: undefined } | { one: PreparedObject; conflict: string };

/** What became of a cluster-scoped object that a service has no more. */
export type Left =
  | { outcome: "removed" | "removing" | "absent"; foreign?: number }
  /** Others have it too, it says itself that it stays, or objects of others are of its kind: it stays, and why. */
  | { outcome: "shared" | "kept"; why: string; foreign?: number };

export interface LeaveOptions extends CallOptions {
  /** As the cluster lists it; absent when it does not carry the labels of this service. */
  listed?: LiveObject | undefined;
  /** Nothing is written; the answer tells what would be. */
  dryRun?: boolean;
  /** The service goes itself: what stays belongs to it no more. */
  forGood?: boolean;
}

/** Which environments have the cluster-scoped objects that a service applies: equal content may belong to several. */
export interface ClusterScopedOwners {
  /**
   * Settles who has each object; with `take` this service has it from here on.
   * @throws RetryableClusterError when an object that is being deleted does not go
   */
  settle(
    client: ClusterClient,
    objects: readonly PreparedObject[],
    live: LiveIndex,
    options: CallOptions & { take: boolean },
  ): Promise<Settled[]>;
  /** The service has the object no more; the last one deletes it. May be repeated. @throws ClusterError */
  leave(client: ClusterClient, ref: ObjectRef, options: LeaveOptions): Promise<Left>;
}

const ourLabels = [environmentLabel, serviceLabel, "s-product", "s-service", "s-env"];

/** SHA-256 of an object's content, regardless of its owner. */
export function sharedHash(object: KubeObject): string {
  return contentHash(withLabels(object, {}));
}

/** The object as another owner applies it. */
export function labelledFor(one: PreparedObject, owner: LabelScope): PreparedObject {
  return relabelled(one, objectLabels(owner, true));
}

/** The object under the labels of ours that a live one carries: equal content has an equal hash then. */
export function labelledLike(one: PreparedObject, { metadata }: LiveObject): PreparedObject {
  const found = Object.entries(metadata.labels ?? {}).filter(([name]) => ourLabels.includes(name));
  return relabelled(one, Object.fromEntries(found));
}

function relabelled(one: PreparedObject, labels: Record<string, string>): PreparedObject {
  const object = withLabels(one.object, labels);
  const hash = contentHash(object);
  object.metadata.annotations = { ...object.metadata.annotations, [contentHashAnnotation]: hash };
  return { ...one, object, hash };
}

function withLabels(object: KubeObject, labels: Record<string, string>): KubeObject {
  const { [contentHashAnnotation]: _hash, ...annotations } = object.metadata.annotations ?? {};
  const others = Object.entries(object.metadata.labels ?? {}).filter(([name]) => !ourLabels.includes(name));
  return {
    ...object,
    metadata: { ...object.metadata, annotations, labels: { ...Object.fromEntries(others), ...labels } },
  };
}
