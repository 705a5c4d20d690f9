import { definitionGoneSentence } from "../../../shared/environments/definitionGoneSentence.ts";
import type { EnvironmentService } from "../../../shared/environments/store/environments.ts";
import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { refOf } from "../../../shared/kube/client/objectRef.ts";
import { objectKey } from "../../../shared/kube/objectKey.ts";
import type { InstanceProblem } from "../../../shared/kube/problems/instanceProblem.ts";
import { absentSentence } from "../../../shared/kube/problems/liveReason.ts";

/** What the last change of a service left undone: refused objects, or why it was not applied at all. */
export function changeProblems(envKey: string, service: EnvironmentService): InstanceProblem[] {
  const { name, error, refused = [], definitionGone, updatedAt: since } = service;
  const whole = { kind: "Environment", name: envKey, since };
  if (refused.length > 0) return refused.map((one) => ({ ...one, reason: "Refused", since }));
  if (error !== "") return [{ ...whole, reason: "NotApplied", message: error }];
  return definitionGone === true
    ? [{ ...whole, reason: "DefinitionDeleted", message: definitionGoneSentence(name) }]
    : [];
}

/** What was applied and no longer exists; since when is unknown, so the time of the last change is reported. */
export function absentProblems(service: EnvironmentService, live: readonly LiveObject[]): InstanceProblem[] {
  const standing = new Set(live.map((object) => objectKey(refOf(object))));
  const refused = new Set(service.refused?.map(({ kind, name }) => `${kind}/${name}`));
  const absent = service.workloads.filter(
    (ref) => !standing.has(objectKey(ref)) && !refused.has(`${ref.kind}/${ref.name}`),
  );
  return absent.map(({ kind, name, expires = false }) => ({
    kind,
    name,
    reason: expires ? "Expired" : "Missing",
    message: expires
      ? `Job "${name}" was removed from the cluster some time after its end, as its ttlSecondsAfterFinished asks`
      : absentSentence({ kind, name }),
    since: service.updatedAt,
  }));
}
