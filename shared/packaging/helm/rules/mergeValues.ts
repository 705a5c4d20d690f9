import { isRecord } from "../../../manifest/schema/kubeObject.ts";

export type Values = Record<string, unknown>;

/**
 * Lays values over others as Helm does: maps are merged key by key, everything else is replaced. A null stays, for it is
 * how Helm is told to leave a default of the chart out.
 */
export function mergeValues(below: Values, above: Values): Values {
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const under = merged.get(key);
    merged.set(key, isRecord(under) && isRecord(value) ? mergeValues(under, value) : value);
  }
  return Object.fromEntries(merged);
}
