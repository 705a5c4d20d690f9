import { pathText } from "../../base/common/readValue.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { describe } from "../client/objectRef.ts";
import { type Fields, podTemplateOf } from "../live/podTemplate.ts";
import { type PodSecurityLevel, podViolations } from "./podViolations.ts";

/** A pod template in an object, and where it is. */
interface FoundTemplate {
  /** Such as `spec.workers[0].template`; empty where the kind alone says it. */
  path: string;
  template: Fields;
}

/** Fields that only pods have: a map with one of them, in the place of a template's `spec`, is the spec of a pod. */
const podOnly = ["containers", "initContainers", "volumes", "securityContext", "hostNetwork", "hostPID", "hostIPC"];

/**
 * The pod templates of any object: that of a workload that Kubernetes knows, else each map that a field of a name like
 * `template` or `workerTemplate` holds and whose `spec` is one of a pod. So those of custom workloads are found too
 * (Rollout, Knative's Service, jobs of operators), at whatever depth. Not found: pods that a controller makes of fields
 * of other shapes, which the label of the namespace holds back.
 */
export function podTemplatesIn(object: KubeObject): FoundTemplate[] {
  const known = podTemplateOf(object);
  return known === undefined ? search(object, []) : [{ path: "", template: known }];
}

function search(value: unknown, path: readonly (string | number)[]): FoundTemplate[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => search(item, [...path, at]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    const here = /template$/i.test(key) && isPodTemplate(inner) ? [{ path: pathText(at), template: inner }] : [];
    return [...here, ...search(inner, at)];
  });
}

function isPodTemplate(value: unknown): value is Fields {
  if (!isRecord(value) || !isRecord(value.spec)) return false;
  const { spec } = value;
  return podOnly.some((field) => Object.hasOwn(spec, field));
}

/**
 * Why an object may not be deployed where pods keep a level of Pod Security Standards, as a sentence with the object, the
 * level and every violation of its first pod template that has any; undefined when its pods keep the level.
 */
export function podSecurityProblem(object: KubeObject, level: PodSecurityLevel): string | undefined {
  for (const { path, template } of podTemplatesIn(object)) {
    const violations = podViolations(template, level);
    if (violations.length === 0) continue;
    const told = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
    const subject = describe({ kind: object.kind, name: object.metadata.name });
    return `${path === "" ? subject : `${subject} (${path})`} violates the Pod Security Standard "${level}": ${told}`;
  }
  return undefined;
}
