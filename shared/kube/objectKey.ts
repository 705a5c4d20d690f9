import type { ObjectRef } from "./client/ClusterClient.ts";

/**
 * The name of an object among those of one environment: `Deployment.apps/web`. Without version, since the server serves
 * one object under several, and without namespace, since an environment has one.
 */
export function objectKey({ apiVersion, kind, name }: ObjectRef): string {
  return `${kindKey({ apiVersion, kind })}/${name}`;
}

/** `Deployment.apps`, or `Service` for the core group. */
export function kindKey({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): string {
  const group = apiGroup(apiVersion);
  return group === "" ? kind : `${kind}.${group}`;
}

export function apiGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
