import type { PodPlacement } from "./containerJob.ts";

/** The part of a pod's spec that says where it may run. */
export function podPlacement({ nodeLabels, strategy, tolerations }: PodPlacement): Record<string, unknown> {
  const matchExpressions = expressionsOf(nodeLabels);
  return {
    ...(tolerations.length > 0 && { tolerations }),
    ...(matchExpressions.length > 0 && strategy !== "normal" && { affinity: affinity(strategy, { matchExpressions }) }),
  };
}

function affinity(strategy: "required" | "preferred", term: object): object {
  const nodeAffinity =
    strategy === "required"
      ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference: term }] };
  return { nodeAffinity };
}

/** Values of one key are alternatives; keys must all match. */
function expressionsOf(labels: readonly string[]): { key: string; operator: "In"; values: string[] }[] {
  const values = new Map<string, string[]>();
  for (const label of labels) {
    const [, key = "", value = ""] = /^([^=:]+)[=:](.*)$/.exec(label) ?? [];
    if (key !== "") values.set(key.trim(), [...(values.get(key.trim()) ?? []), value.trim()]);
  }
  return [...values].map(([key, found]) => ({ key, operator: "In" as const, values: found }));
}
