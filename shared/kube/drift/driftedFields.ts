import type { KubeObject } from "../../manifest/parseManifest.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { contentHashAnnotation } from "../apply/marks.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { addedFields } from "./addedFields.ts";
import { type AppliedBy, keysOf, type OwnedFields, ownersBelow, ownersOf, structureOf } from "./fieldOwners.ts";
import { fieldOf, sameValue } from "./sameValue.ts";

/** A field that is not as we applied it; `manager` is empty when the cluster does not tell who changed it. */
export interface DriftedField {
  /** Names from the object's root, `spec.template.spec.containers[name=web].image`. */
  path: string;
  /** The same without positions in lists. */
  names: readonly string[];
  applied: unknown;
  /** Undefined when the field is not there. */
  live: unknown;
  manager: string;
  time: string | undefined;
  /** Set for what we never applied and a person or a tool put there. */
  added?: true;
}

/**
 * Fields of an object that we applied and that are different now (decisions 6.7), and those that people and tools added
 * to its spec. What controllers and defaults set is no drift, nor is another spelling of what we set: a field whose
 * applied content is in the cluster and that no one took from us holds what we sent, however the server writes it.
 */
export function driftedFields(applied: KubeObject, live: LiveObject, by: AppliedBy = "slipway"): DriftedField[] {
  const found: DriftedField[] = [];
  const contentStands =
    applied.metadata.annotations?.[contentHashAnnotation] === live.metadata.annotations?.[contentHashAnnotation];
  compare(comparable(applied), live, ownersOf(live, by), { path: "", names: [] }, { found, contentStands });
  return [...found, ...addedFields(applied, live, by)];
}

/** Where in an object the comparison is. */
interface Place {
  path: string;
  names: readonly string[];
}

interface Findings {
  found: DriftedField[];
  contentStands: boolean;
}

/** Without what the server keys objects by, and without our own note of the content. */
function comparable({ apiVersion: _version, kind: _kind, ...object }: KubeObject): Record<string, unknown> {
  const { name: _name, namespace: _namespace, annotations, ...metadata } = object.metadata;
  const { [contentHashAnnotation]: _hash, ...notes } = annotations ?? {};
  return { ...object, metadata: { ...metadata, annotations: notes } };
}

function compare(
  applied: unknown,
  live: unknown,
  owners: readonly OwnedFields[],
  place: Place,
  findings: Findings,
): void {
  if (sameValue(applied, live)) return;
  const structure = structureOf(owners);
  if (
    isRecord(applied) &&
    isRecord(live) &&
    (structure === "fields" || structure === "unknown" || place.names.length === 0)
  ) {
    for (const [name, value] of Object.entries(applied))
      compare(value, fieldOf(live, name), ownersBelow(owners, `f:${name}`), below(place, name), findings);
    return;
  }
  const lists = Array.isArray(applied) && Array.isArray(live);
  if (lists && structure === "keyed") compareItems(applied, live, owners, place, findings);
  else if (lists && structure === "set") {
    const missing = applied.filter((value) => !live.some((other) => sameValue(value, other)));
    for (const value of missing) report(value, undefined, owners, place, findings);
  } else report(applied, live, owners, place, findings);
}

/** Items of a list that the cluster tells apart by some of their fields. */
function compareItems(
  applied: readonly unknown[],
  live: readonly unknown[],
  owners: readonly OwnedFields[],
  place: Place,
  findings: Findings,
): void {
  const keys = keysOf(owners);
  const names = Object.keys(keys[0]?.key ?? {});
  for (const item of applied) {
    // A part of the key that we left out was filled in by the server.
    const given = names.filter((name) => fieldOf(item, name) !== undefined);
    const found = live.find((other) => given.every((name) => sameValue(fieldOf(item, name), fieldOf(other, name))));
    const step = keys.find(({ key }) => names.every((name) => sameValue(key[name], fieldOf(found, name))))?.step;
    const label = `[${given.map((name) => `${name}=${String(fieldOf(item, name))}`).join(",")}]`;
    const inside = { ...place, path: place.path + label };
    compare(item, found, step === undefined ? [] : ownersBelow(owners, step), inside, findings);
  }
}

function report(
  applied: unknown,
  live: unknown,
  owners: readonly OwnedFields[],
  place: Place,
  { found, contentStands }: Findings,
): void {
  const others = owners.filter(({ ours }) => !ours);
  const kept = owners.length > others.length;
  if (kept && (contentStands || sameValue(applied, live, { subset: true }))) return;
  // Filled in by the server within something that is applied as a whole.
  if (others.length === 0 && live !== undefined && sameValue(applied, live, { subset: true })) return;
  const by = others.sort((a, b) => (b.time ?? "").localeCompare(a.time ?? ""))[0];
  found.push({ ...place, applied, live, manager: by?.manager ?? "", time: by?.time });
}

function below({ path, names }: Place, name: string): Place {
  const step = /^[A-Za-z_][\w-]*$/.test(name) ? name : `[${JSON.stringify(name)}]`;
  const dot = path === "" || step.startsWith("[") ? "" : ".";
  return { path: path + dot + step, names: [...names, name] };
}
