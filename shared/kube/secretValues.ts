import { isRecord, type KubeObject } from "../manifest/kubeObject.ts";

/** Stands where a value of a Secret was. */
export const maskedValue = "********";

/** Of a Secret, only these say nothing about what it holds. */
const plain = new Set(["apiVersion", "kind", "type", "immutable"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export function isSecret({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === "Secret" && !apiVersion.includes("/");
}

/** Whether what stands at a path of a Secret must not be shown; `path` holds the names from the object's root. */
export function isSecretPath([first = "", second = "", third = ""]: readonly string[]): boolean {
  if (first === "metadata") return second === "annotations" && third === lastApplied;
  return !plain.has(first);
}

/**
 * Both objects with every value replaced that a Secret keeps; a value that differs is marked, so that the difference
 * still shows. Other kinds stay as they are.
 */
export function maskedPair(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): { before: KubeObject | undefined; after: KubeObject | undefined } {
  const masked = (object: KubeObject | undefined, other: KubeObject | undefined, side: string) => {
    if (object === undefined || !isSecret(object)) return object;
    const parts = Object.entries(object).filter(([name]) => name !== "metadata" && !plain.has(name));
    const shown = parts.map(([name, value]) => [name, maskAll(value, other && fieldOf(other, name), side)]);
    return { ...object, metadata: withoutLastApplied(object.metadata), ...Object.fromEntries(shown) };
  };
  return { before: masked(before, after, "before"), after: masked(after, before, "after") };
}

function withoutLastApplied(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  if (metadata.annotations?.[lastApplied] === undefined) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [lastApplied]: maskedValue } };
}

function maskAll(value: unknown, other: unknown, side: string): unknown {
  if (typeof value !== "object" || value === null)
    return other === undefined || other === value ? maskedValue : `${maskedValue} (${side})`;
  const entries = Object.entries(value).map(([key, inner]) => [key, maskAll(inner, fieldOf(other, key), side)]);
  return Object.fromEntries(entries);
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
