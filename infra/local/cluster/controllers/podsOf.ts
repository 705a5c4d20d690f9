import { createHash } from "node:crypto";
import { equal, type KubeObject, timestamp } from "../model/object.ts";
import type { Condition, Pod, PodTemplate } from "../model/workloads.ts";

/** Facts about pods that several controllers ask for. */

export function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true;
}

export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

export function isFinished(pod: Pod): boolean {
  return pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
}

/** Ready for at least so many seconds; undefined when it is not ready, else the milliseconds still missing. */
export function availableIn(pod: Pod, minReadySeconds = 0): number | undefined {
  const ready = pod.status.conditions?.find((c) => c.type === "Ready" && c.status === "True");
  if (!ready) return undefined;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? timestamp()) + minReadySeconds * 1_000 - Date.now());
}

/** A short name for a template: the same template always gives the same one. */
export function templateHash(template: PodTemplate): string {
  const digits = "bcdfghjklmnpqrstvwxz2456789";
  const digest = createHash("sha256").update(stable(template)).digest();
  return [...digest.subarray(0, 10)].map((byte) => digits[byte % digits.length]).join("");
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** The body of a pod made from a template. */
export function podFrom(template: PodTemplate, owner: KubeObject, metadata: object): object {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      namespace: owner.metadata.namespace,
      ...metadata,
    },
    spec: template.spec,
  };
}

/** Conditions with one set: the transition time moves only when the status does. */
export function setCondition(conditions: Condition[] = [], next: Condition): Condition[] {
  const now = timestamp();
  const old = conditions.find((condition) => condition.type === next.type);
  const moved = old?.status !== next.status;
  const merged: Condition = { ...next, lastTransitionTime: moved ? now : (old?.lastTransitionTime ?? now) };
  if (old && equal({ ...old, lastUpdateTime: undefined }, { ...merged, lastUpdateTime: undefined })) return conditions;
  if (old) return conditions.map((condition) => (condition === old ? merged : condition));
  return [...conditions, merged];
}

/** A count as the typed server writes it: zero is absent. */
export function some(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
