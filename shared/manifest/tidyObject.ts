import { type DeclaredFields, declaredFields, type Held, typeOfKind } from "./schema/declaredType.ts";
import { isRecord, type KubeObject } from "./schema/kubeObject.ts";

/** Something of an object that was left out. */
export interface LeftOut {
  code: "undeclared_field" | "duplicate_entry";
  /** Names and positions from the object's root. */
  path: readonly (string | number)[];
  message: string;
}

/**
 * An object without what its kind does not declare, and without entries of a list that come again later under the same
 * key, as far as Kubernetes itself brings the kind. What is in order is the object that was given.
 */
export function tidyObject(object: KubeObject): { object: KubeObject; leftOut: LeftOut[] } {
  const type = typeOfKind(object);
  if (type === undefined) return { object, leftOut: [] };
  const tidying = new Tidying(`${object.kind} "${object.metadata.name}"`);
  const { apiVersion, kind, metadata, ...content } = tidying.struct(object, declaredFields(type), []) as KubeObject;
  const { leftOut } = tidying;
  return { object: leftOut.length === 0 ? object : { ...content, apiVersion, kind, metadata }, leftOut };
}

type Path = readonly (string | number)[];

class Tidying {
  readonly leftOut: LeftOut[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  struct(value: Record<string, unknown>, fields: DeclaredFields, path: Path): Record<string, unknown> {
    const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const held = fields.get(name);
      const place = [...path, name];
      if (held !== undefined) return [[name, this.#held(inner, held, place)]];
      this.leftOut.push({
        code: "undeclared_field",
        path: place,
        message: `${this.#name}: ${spelled(place)} is not a field that Kubernetes knows; it is left out`,
      });
      return [];
    });
    return Object.fromEntries(entries);
  }

  #held(value: unknown, held: Held, path: Path): unknown {
    if (held.is === "list") return Array.isArray(value) ? this.#list(value, held, path) : value;
    if (held.type === undefined || !isRecord(value)) return value;
    const fields = declaredFields(held.type);
    if (held.is === "value") return this.struct(value, fields, path);
    const entries = Object.entries(value).map(([name, inner]) => {
      return [name, isRecord(inner) ? this.struct(inner, fields, [...path, name]) : inner];
    });
    return Object.fromEntries(entries);
  }

  #list(items: readonly unknown[], { type, keys }: Held, path: Path): unknown[] {
    const fields = type === undefined ? undefined : declaredFields(type);
    const told = keys && items.map((item) => keyOf(item, keys));
    const last = new Map(told?.map((key, position) => [key, position]));
    return items.flatMap((item, position) => {
      const key = told?.[position];
      const place = [...path, position];
      if (key !== undefined && last.get(key) !== position) {
        this.leftOut.push({
          code: "duplicate_entry",
          path: place,
          message: `${this.#name}: ${spelled(path)} has ${key} more than once; the last one is kept`,
        });
        return [];
      }
      return [fields !== undefined && isRecord(item) ? this.struct(item, fields, place) : item];
    });
  }
}

/** Fields of keys that count as this when they are left out. */
const keyDefaults: Readonly<Record<string, string>> = { protocol: "TCP" };

/** What tells an entry of a list from the others; undefined when it cannot be told. */
function keyOf(item: unknown, names: readonly string[]): string | undefined {
  if (names.length === 0) return isRecord(item) || Array.isArray(item) ? undefined : JSON.stringify(item);
  if (!isRecord(item)) return undefined;
  const parts = names.map((name) => [name, item[name] ?? keyDefaults[name]] as const);
  if (parts.some(([, value]) => value === undefined)) return undefined;
  return parts.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
}

/** `spec.template.spec.containers[0].image` */
export function spelled(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}
