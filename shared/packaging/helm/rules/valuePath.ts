import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { Values } from "./mergeValues.ts";

const maxIndex = 1000;

/**
 * `image.tag`, `hosts[0].name`, `annotations.a\.b`: a place in values, as `helm --set` writes it.
 * @returns undefined for a text that names no place
 */
export function parseValuePath(text: string): (string | number)[] | undefined {
  const parts: (string | number)[] = [];
  for (const raw of text.split(/(?<!\\)\./)) {
    const found = /^((?:[^[\]\\]|\\.)+)((?:\[\d{1,4}\])*)$/.exec(raw);
    if (found === null) return undefined;
    const [, name = "", indexes = ""] = found;
    parts.push(name.replace(/\\(.)/g, "$1"));
    for (const [, index = ""] of indexes.matchAll(/\[(\d+)\]/g)) {
      if (Number(index) > maxIndex) return undefined;
      parts.push(Number(index));
    }
  }
  return parts.some((part) => part === "__proto__") ? undefined : parts;
}

/** The value at a place; undefined where there is none. */
export function valueAt(values: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, part) => {
    if (Array.isArray(inner)) return typeof part === "number" ? inner[part] : undefined;
    return isRecord(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined;
  }, values);
}

/** Values with another value at a place; what is not there on the way is made. Nothing is changed in place. */
export function withValueAt(values: Values, path: readonly (string | number)[], value: unknown): Values {
  return setAt(values, path, value) as Values;
}

function setAt(inner: unknown, [part, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (part === undefined) return value;
  if (typeof part === "number") {
    const list: unknown[] = Array.isArray(inner) ? [...inner] : [];
    while (list.length < part) list.push(null);
    list[part] = setAt(list[part], rest, value);
    return list;
  }
  const map = isRecord(inner) ? inner : {};
  return { ...map, [part]: setAt(Object.hasOwn(map, part) ? map[part] : undefined, rest, value) };
}
