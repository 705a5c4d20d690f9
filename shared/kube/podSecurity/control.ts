import type { PodFields } from "./podFields.ts";

/** What a pod does that a control forbids: the reason as Kubernetes words it, and which fields of which containers. */
export interface Finding {
  reason: string;
  detail: string;
}

/** One control of Pod Security Standards: what it finds wrong with a pod, or undefined where the pod keeps it. */
export type Control = (pod: PodFields) => Finding | undefined;

/** `"a", "b"` */
export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** Each value once, in the order of its characters. */
export function distinct(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** The one form for one thing, the other for several. */
export function counted(one: string, several: string, things: readonly unknown[]): string {
  return things.length === 1 ? one : several;
}

/** `container "web"`, `containers "web", "proxy"` */
export function containersNamed(names: readonly string[]): string {
  return `${counted("container", "containers", names)} ${quoted(names)}`;
}

/** What sets a field: `pod`, `container "web"`, or both with `and`; undefined when nothing does. */
export function setters(pod: boolean, containers: readonly { name: string }[]): string | undefined {
  const names = containers.map(({ name }) => name);
  const found = [...(pod ? ["pod"] : []), ...(names.length > 0 ? [containersNamed(names)] : [])];
  return found.length === 0 ? undefined : found.join(" and ");
}

/** Whether the pod says that it runs on Windows, where fields of Linux have no meaning and the API server takes none. */
export function isWindows(pod: PodFields): boolean {
  return pod.os?.name === "windows";
}

/** Whether the pod has a user namespace of its own, in which root has no privileges on the host. */
export function hasUserNamespace(pod: PodFields): boolean {
  return pod.hostUsers === false;
}
