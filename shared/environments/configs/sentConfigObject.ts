import { isPullSecret, pullSecretSentence } from "../../kube/apply/marks.ts";
import { maskProblem } from "../../kube/live/maskedTemplate.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { parseConfigObject } from "../rules/configObject.ts";

/**
 * Reads the one object of a configuration that a user sends. The pull secret is Slipway's own, and the mask of a value
 * that was not shown must not become the value (decisions 17.5).
 * @throws ManifestError as `parseConfigObject`, and for either
 */
export function sentConfigObject(text: string): KubeObject {
  const object = parseConfigObject(text);
  if (isPullSecret({ kind: object.kind, name: object.metadata.name }))
    throw new ManifestError("object", pullSecretSentence);
  const masked = maskProblem(text);
  if (masked !== undefined) throw new ManifestError("object", masked);
  return object;
}
