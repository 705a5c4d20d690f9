import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { type OwnedFields, ownersBelow } from "../drift/fieldOwners.ts";
import { sameValue } from "../drift/sameValue.ts";

/** A field of an object that only some managers hold. */
export interface HeldField {
  /** Names, and positions in lists, from where the search began. */
  path: readonly (string | number)[];
  /** The same as managers name them, `f:name` or `k:{…}`. */
  steps: readonly string[];
  value: unknown;
  /** The one of them who wrote last. */
  owner: OwnedFields | undefined;
}

/** The outermost fields of a value that managers of `some` hold and none of `others`. */
export function fieldsOnlyOf(
  value: unknown,
  some: readonly OwnedFields[],
  others: readonly OwnedFields[],
  from: Pick<HeldField, "path" | "steps"> = { path: [], steps: [] },
): HeldField[] {
  const steps = new Set(some.flatMap(({ fields }) => Object.keys(fields)).filter((step) => step !== "."));
  return [...steps].flatMap((step): HeldField[] => {
    const key = keyAt(value, step);
    if (key === undefined) return [];
    const inner: unknown = (value as Record<string | number, unknown>)[key];
    const [own, foreign] = [ownersBelow(some, step), ownersBelow(others, step)];
    const asWhole = own.filter(({ fields }) => Object.keys(fields).length === 0 || Object.hasOwn(fields, "."));
    const place = { path: [...from.path, key], steps: [...from.steps, step] };
    if (foreign.length > 0 || asWhole.length === 0) return fieldsOnlyOf(inner, own, foreign, place);
    const [owner] = [...own].sort((a, b) => (b.time ?? "").localeCompare(a.time ?? ""));
    return [{ ...place, value: inner, owner }];
  });
}

/** Parts of keys that the server fills in where a manifest leaves them out: of the ports of Services and containers. */
const filledIn: Readonly<Record<string, unknown>> = { protocol: "TCP" };

/** Where a step of a manager's fields leads in a value; undefined where nothing is. */
export function keyAt(value: unknown, step: string): string | number | undefined {
  const [kind, rest] = [step.slice(0, 2), step.slice(2)];
  if (kind === "f:") return isRecord(value) && Object.hasOwn(value, rest) ? rest : undefined;
  if (!Array.isArray(value) || (kind !== "k:" && kind !== "v:")) return undefined;
  const wanted: unknown = JSON.parse(rest);
  const at = value.findIndex((item) => {
    if (kind === "v:") return sameValue(wanted, item);
    if (!isRecord(wanted) || !isRecord(item)) return false;
    return Object.entries(wanted).every(([name, told]) => sameValue(told, item[name] ?? filledIn[name]));
  });
  return at < 0 ? undefined : at;
}

/** A value without some of its fields; the value that was given stays. */
export function withoutFields<T>(value: T, fields: readonly Pick<HeldField, "path">[]): T {
  const copy = structuredClone(value);
  // From behind, so that positions in lists stay true.
  const paths = fields.map(({ path }) => path).sort((a, b) => (isBefore(a, b) ? 1 : -1));
  for (const path of paths) {
    const last = path.at(-1);
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((map, key) => (map as Record<string | number, unknown>)[key], copy);
    if (Array.isArray(holder) && typeof last === "number") holder.splice(last, 1);
    else if (isRecord(holder) && last !== undefined) delete holder[last];
  }
  return copy;
}

function isBefore(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  const at = a.findIndex((step, position) => step !== b[position]);
  const [left, right] = [a[at], b[at]];
  return typeof left === "number" && typeof right === "number" ? left < right : String(left) < String(right);
}
