import type { KubeObject } from "../../manifest/parseManifest.ts";
import { labelledLike } from "../apply/clusterScopedOwners.ts";
import { isKeptByPolicy } from "../apply/keptByPolicy.ts";
import { environmentLabel, serviceLabel } from "../apply/marks.ts";
import type { PreparedObject } from "../apply/prepareObjects.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { isApplied } from "../live/readLive.ts";
import { isSecret, isSecretPath, maskedValue } from "../live/secretValues.ts";
import { objectKey } from "../objectKey.ts";
import { type DriftedField, driftedFields } from "./driftedFields.ts";

/** An object that is not as we applied it. */
export interface DriftedObject {
  serviceName: string;
  kind: string;
  name: string;
  state: "changed" | "missing" | "extra";
  /** Of a changed object. Values of a Secret are masked. */
  fields: DriftedField[];
}

/**
 * Compares what services applied with the objects of the same kinds in the cluster (decisions 6.7).
 * @param releases services that Helm applied
 */
export function findDrift(
  environmentId: string,
  services: ReadonlyMap<string, readonly PreparedObject[]>,
  live: readonly LiveObject[],
  releases: ReadonlySet<string> = new Set(),
): DriftedObject[] {
  const standing = new Map(live.map((object) => [objectKey(refOf(object)), object]));
  const applied = [...services].flatMap(([serviceName, objects]) => objects.map((one) => ({ serviceName, one })));
  const wanted = new Set(applied.map(({ one }) => one.key));
  const drifted = applied.flatMap(({ serviceName, one }): DriftedObject[] => {
    const object = standing.get(one.key);
    const found = { serviceName, kind: one.ref.kind, name: one.ref.name };
    if (object === undefined) return [{ ...found, state: "missing", fields: [] }];
    // One that several environments have carries the labels of the first.
    const sent =
      one.namespaced === false && environmentLabel in (object.metadata.labels ?? {}) ? labelledLike(one, object) : one;
    const by = releases.has(serviceName) ? "helm" : "slipway";
    const fields = driftedFields(asStored(sent.object), object, by).map((field) => shown(one.object, field));
    return fields.length === 0 ? [] : [{ ...found, state: "changed", fields }];
  });
  const extra = [...standing].flatMap(([key, object]): DriftedObject[] => {
    const serviceName = object.metadata.labels?.[serviceLabel] ?? "";
    const ours = object.metadata.labels?.[environmentLabel] === environmentId && services.has(serviceName);
    if (wanted.has(key) || !ours || !isApplied(object) || isKeptByPolicy(object)) return [];
    return [{ serviceName, kind: object.kind, name: object.metadata.name, state: "extra", fields: [] }];
  });
  return [...drifted, ...extra].sort(
    (a, b) => compareText(a.serviceName, b.serviceName) || compareText(a.kind, b.kind) || compareText(a.name, b.name),
  );
}

/** The server writes the texts of a Secret among its data. */
function asStored(object: KubeObject): KubeObject {
  const { stringData, ...secret } = object;
  if (!isSecret(object) || typeof stringData !== "object" || stringData === null) return object;
  const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString("base64")]);
  const data = typeof object.data === "object" ? object.data : {};
  return { ...secret, data: { ...data, ...Object.fromEntries(texts) } };
}

function shown(object: KubeObject, field: DriftedField): DriftedField {
  if (!isSecret(object)) return field;
  const masked = (value: unknown): unknown => {
    if (value === undefined) return undefined;
    // A whole part of a Secret may hold values further down.
    return isSecretPath(field.names) || typeof value === "object" ? maskedValue : value;
  };
  return { ...field, applied: masked(field.applied), live: masked(field.live) };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
