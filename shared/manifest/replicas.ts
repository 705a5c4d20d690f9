import { editManifest } from "./edit/editManifest.ts";
import { type RenderContext, RenderError, renderService } from "./renderService.ts";
import { isRecord, type KubeObject } from "./schema/kubeObject.ts";
import type { ServiceVariable } from "./variables/serviceVariable.ts";
import { at } from "./workloads.ts";

/** Numbers of pods by `workloadKey`: of an environment those that were set by hand. */
export type SetReplicas = Readonly<Record<string, number>>;

export interface WorkloadName {
  kind: string;
  name: string;
}

/** `Deployment/web`: names a workload inside one service. */
export function workloadKey({ kind, name }: WorkloadName): string {
  return `${kind}/${name}`;
}

const scaledKinds = new Set(["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "CloneSet"]);

/** Whether `spec.replicas` of the kind says how many pods a workload has. */
export function isScalable({ kind }: { kind: string }): boolean {
  return scaledKinds.has(kind);
}

/** How many pods workloads ask for, by `workloadKey`; those that an autoscaler scales are left out. */
export function renderedReplicas(
  objects: readonly KubeObject[],
  autoscaled: ReadonlySet<string> = new Set(),
): Record<string, number> {
  const counts = objects.filter(isScalable).flatMap((object): [string, number][] => {
    const key = workloadKey({ kind: object.kind, name: object.metadata.name });
    const count = at(object, ["spec", "replicas"]);
    return typeof count === "number" && !autoscaled.has(key) ? [[key, count]] : [];
  });
  return Object.fromEntries(counts);
}

export function withReplicas(object: KubeObject, replicas: number): KubeObject {
  if (at(object, ["spec", "replicas"]) === replicas) return object;
  return { ...object, spec: { ...(isRecord(object.spec) ? object.spec : {}), replicas } };
}

/**
 * Keeps the counts that were set by hand through a new rendering (contract P 5.7): the objects and the text with them,
 * and which of them are still needed. One is forgotten when its workload is gone, names the same number itself, or
 * leaves its number to a variable, which is what a person changes then.
 */
export function keepReplicas(
  rendered: { text: string; objects: readonly KubeObject[] },
  set: SetReplicas,
  isVariable: (workload: WorkloadName) => boolean,
): { text: string; objects: KubeObject[]; replicas: Record<string, number> } {
  const kept = rendered.objects.flatMap((object): [string, number][] => {
    const workload = { kind: object.kind, name: object.metadata.name };
    const count = set[workloadKey(workload)];
    if (count === undefined || at(object, ["spec", "replicas"]) === count || isVariable(workload)) return [];
    return [[workloadKey(workload), count]];
  });
  const replicas = Object.fromEntries(kept);
  if (kept.length === 0) return { text: rendered.text, objects: [...rendered.objects], replicas };
  const edit = (object: KubeObject): KubeObject => {
    const count = replicas[workloadKey({ kind: object.kind, name: object.metadata.name })];
    return count === undefined ? object : withReplicas(object, count);
  };
  return { text: editManifest(rendered.text, edit), objects: rendered.objects.map(edit), replicas };
}

/** `replicas: {{ .name }}` and nothing else on its line. */
const placeholder = /^[ \t-]*["']?replicas["']?[ \t]*:[ \t]*["']?\{\{-?[ \t]*\.(\w+)[ \t]*-?\}\}["']?[ \t]*(?:#.*)?$/gm;
const probes = ["1001", "1002"];

/**
 * The variable that alone says how many replicas a workload has, found by rendering with two numbers in its place;
 * undefined when the YAML says it otherwise, or when the variable takes its value from the environment's global one.
 */
export function replicasVariable(
  service: {
    yaml: string;
    variables: readonly (ServiceVariable & { useGlobalVariable?: boolean })[];
    context: RenderContext;
  },
  workload: WorkloadName,
): string | undefined {
  const names = new Set([...service.yaml.replaceAll("\r\n", "\n").matchAll(placeholder)].map(([, name = ""]) => name));
  return [...names].find((name) => {
    const variable = service.variables.find(({ key }) => key === name);
    if (variable?.type !== "string" || variable.useGlobalVariable === true) return false;
    return probes.every((probe) => replicasWith(service, name, probe, workload) === Number(probe));
  });
}

function replicasWith(
  { yaml, variables, context }: Parameters<typeof replicasVariable>[0],
  name: string,
  value: string,
  { kind, name: workload }: WorkloadName,
): unknown {
  try {
    const set = variables.map((variable) => (variable.key === name ? { ...variable, value } : variable));
    const { objects } = renderService({ yaml, variables: set, context, strict: true });
    const found = objects.find((object) => object.kind === kind && object.metadata.name === workload);
    return at(found, ["spec", "replicas"]);
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
}
