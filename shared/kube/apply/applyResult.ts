import type { LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterConflict, ClusterError, type FieldConflict } from "../client/errors.ts";

/** Why one object could not be applied or removed. */
export interface ObjectFailure {
  /** Name of the error type, e.g. `ClusterConflict`, or `OwnershipConflict`, `ScopeRefused`. */
  code: string;
  /** The API server's own words, with the object named. */
  message: string;
  retryable: boolean;
  /** Fields that other managers hold. */
  conflicts: readonly FieldConflict[];
}

/** `kept`: no longer in the manifest, but it says that it stays, or its removal would remove objects of others. */
export type ObjectAction = "created" | "changed" | "unchanged" | "pruned" | "kept" | "failed";

/** What became of one object. */
export interface ObjectResult {
  ref: ObjectRef;
  key: string;
  action: ObjectAction;
  /** What a readiness wait looks for; absent for failed and pruned objects. */
  uid?: string | undefined;
  generation?: number | undefined;
  failure?: ObjectFailure;
}

export interface ApplyResult {
  results: ObjectResult[];
  /** Object key → version mark after this apply: stored by the caller, handed in as `recorded` next time. */
  marks: Record<string, string>;
  /** True when every object is as the manifest says. */
  succeeded: boolean;
}

/**
 * What says that an object was not changed by others since: its generation, or its resource version where the kind has
 * no generation (ConfigMap, Secret, Service…).
 */
export function versionMark({ metadata }: LiveObject): string {
  return metadata.generation === undefined ? `r${metadata.resourceVersion ?? ""}` : `g${metadata.generation}`;
}

export function failureOf(error: unknown): ObjectFailure {
  if (!(error instanceof ClusterError)) throw error;
  const conflicts = error instanceof ClusterConflict ? error.fields : [];
  return { code: error.name, message: error.message, retryable: error.retryable, conflicts };
}
