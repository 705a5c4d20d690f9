import { isRecord } from "./schema/kubeObject.ts";

const TEMPLATE = ["spec", "template", "spec"];

/** The kinds whose containers make a service's modules, and the path of their pod spec (contract P 13.1). */
const POD_SPECS = new Map<string, readonly string[]>([
  ["Deployment", TEMPLATE],
  ["StatefulSet", TEMPLATE],
  ["DaemonSet", TEMPLATE],
  ["Job", TEMPLATE],
  ["CloneSet", TEMPLATE],
  ["CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
]);

/** The lists of containers in a pod spec, in the order in which they count (P 13.2). */
export const CONTAINER_LISTS = ["initContainers", "containers"] as const;

/** The path from an object to its pod spec; undefined for kinds that are not looked at. */
export function podSpecPath(kind: unknown): readonly string[] | undefined {
  return typeof kind === "string" ? POD_SPECS.get(kind) : undefined;
}

/** The value at a path of maps; undefined where the path ends early. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((map, key) => (isRecord(map) && Object.hasOwn(map, key) ? map[key] : undefined), value);
}
