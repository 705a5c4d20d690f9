import type { KubeObject } from "../../manifest/kubeObject.ts";
import { describe } from "../client/objectRef.ts";
import { podTemplatesIn } from "./podTemplatesIn.ts";
import { type PodSecurityLevel, podViolations } from "./podViolations.ts";

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
