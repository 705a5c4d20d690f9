import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";

/** The text in place of a value of a Secret. */
export const maskedValue = "********";

/** Of a Secret, only these say nothing about what it holds. */
const plain = new Set(["apiVersion", "kind", "type", "immutable"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export function isSecret({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === "Secret" && !apiVersion.includes("/");
}

/** Whether the value at a path of a Secret must not be shown; `path` holds the names from the object's root. */
export function isSecretPath([first = "", second = ""]: readonly string[]): boolean {
  if (first === "metadata") return second === "annotations";
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
  const masked = (object: KubeObject | undefined, other: KubeObject | undefined, side: string) =>
    object === undefined || !isSecret(object) ? object : maskedFields(object, other, side);
  return { before: masked(before, after, "before"), after: masked(after, before, "after") };
}

/** A Secret with its keys and without its values; every other object as it is. */
export function maskedObject<T extends KubeObject>(object: T): T {
  return isSecret(object) ? maskedFields(object) : object;
}

/**
 * An object with `********` for each value that a Secret keeps, whatever its kind: those of its own fields, and
 * annotations that repeat one of them.
 * @param other the same object at another time; a value that differs there is marked with `side`
 */
export function maskedFields<T extends Readonly<Record<string, unknown>>>(
  object: T,
  other?: Readonly<Record<string, unknown>>,
  side = "",
): T {
  const parts = Object.entries(object).filter(([name]) => isValueField(name));
  const shown = parts.map(([name, value]) => [name, maskAll(value, other && fieldOf(other, name), side)]);
  const held = [object, other ?? {}].flatMap(secretSpellings);
  return { ...object, ...withoutRepeats(object.metadata, held), ...Object.fromEntries(shown) };
}

const isValueField = (name: string): boolean => name !== "metadata" && !plain.has(name);

function withoutRepeats(metadata: unknown, held: readonly string[]): { metadata?: unknown } {
  if (!isRecord(metadata) || !isRecord(metadata.annotations)) return {};
  const annotations = Object.entries(metadata.annotations).map(([name, value]) => {
    const repeats = name === lastApplied || held.some((text) => String(value).includes(text));
    return [name, repeats ? maskedValue : value];
  });
  return { metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}

/** What other texts would repeat a value of the Secret as: in clear, in base64, and either within JSON. */
export function secretSpellings(object: Readonly<Record<string, unknown>>): string[] {
  const texts = Object.entries(object)
    .filter(([name]) => isValueField(name))
    .flatMap(([name, value]) => {
      const leaves = leavesOf(value);
      return name === "data" ? [...leaves, ...leaves.map((leaf) => Buffer.from(leaf, "base64").toString())] : leaves;
    });
  const spelled = texts.flatMap((text) => [
    ...[text, text.trim(), JSON.stringify(text).slice(1, -1)],
    Buffer.from(text).toString("base64"),
  ]);
  return [...new Set(spelled)].filter((text) => text !== "");
}

function leavesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === "object" ? Object.values(value).flatMap(leavesOf) : [String(value)];
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
