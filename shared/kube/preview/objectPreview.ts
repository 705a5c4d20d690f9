import { unifiedDiff } from "../../base/common/unifiedDiff.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { contentHashAnnotation } from "../apply/marks.ts";
import { maskedPair } from "../live/secretValues.ts";

/** What a change would do to one object (decisions 6.7). */
export interface ObjectPreview {
  /** Empty for what belongs to the environment itself. */
  serviceName: string;
  kind: string;
  name: string;
  action: "create" | "change" | "delete" | "unchanged";
  /** Unified; values of Secrets are masked. */
  diff: string;
  /** Why it stays although no longer in the manifest, or what of it stays although the manifest says otherwise. */
  note?: string | undefined;
  /** Objects of others that go with the definition of their kind, or would. */
  foreign?: number | undefined;
}

/** Compares an object as it is with what it would be, without what only a server writes. */
export function objectPreview(
  serviceName: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): ObjectPreview {
  const named = after ?? before;
  if (named === undefined) throw new Error("a preview needs an object");
  const { kind, metadata } = named;
  const shown = maskedPair(before && comparable(before), after && comparable(after));
  const diff = unifiedDiff(textOf(shown.before), textOf(shown.after), {
    before: before === undefined ? "/dev/null" : `live/${kind}/${metadata.name}`,
    after: after === undefined ? "/dev/null" : `next/${kind}/${metadata.name}`,
  });
  const present = diff === "" ? "unchanged" : "change";
  const action = before === undefined ? "create" : after === undefined ? "delete" : present;
  return { serviceName, kind, name: metadata.name, action, diff };
}

const serverFields = new Set([
  "managedFields",
  "resourceVersion",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "selfLink",
]);

function comparable({ apiVersion, kind, metadata, status: _status, ...content }: KubeObject): KubeObject {
  const { [contentHashAnnotation]: _hash, ...annotations } = metadata.annotations ?? {};
  const kept = Object.entries(metadata).filter(([name]) => !serverFields.has(name) && name !== "annotations");
  const notes = Object.keys(annotations).length === 0 ? {} : { annotations };
  return { apiVersion, kind, metadata: { ...Object.fromEntries(kept), ...notes, name: metadata.name }, ...content };
}

function textOf(object: KubeObject | undefined): string {
  return object === undefined ? "" : dumpYaml(object, { sortKeys: true });
}
