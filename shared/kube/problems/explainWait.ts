import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { currentPodsOf } from "../live/currentPodsOf.ts";
import { isPod, isWorkload, type LivePod } from "../live/liveTypes.ts";
import { readEnvironment } from "../live/readEnvironment.ts";
import type { ManifestWorkload } from "../live/workloadKinds.ts";
import { workloadReady } from "../live/workloadReady.ts";
import { objectKey } from "../objectKey.ts";
import { findProblems } from "./findProblems.ts";
import type { InstanceProblem } from "./instanceProblem.ts";
import { absentSentence } from "./liveReason.ts";

const maxRestarts = 5;
const unschedulableSeconds = 60;
const refusedSeconds = 5;
const neverPulled = new Set(["InvalidImageName", "ErrImageNeverPull"]);
/** The registry may answer again by itself; nothing else mends by waiting. */
const registryIsAway = /does not answer|registry's name is unknown/;
const refusedForGood = /quota|violates PodSecurity|is forbidden: (?:minimum|maximum|\[)/;

/**
 * Whether waiting does not help against a problem: an image that is not there, a quota, no node for a minute, a container
 * that crashed five times.
 * @param pod that has the problem; undefined for a workload's
 * @param now Unix seconds
 */
function isHopeless(problem: InstanceProblem, pod: LivePod | undefined, now: number): boolean {
  const age = now - problem.since;
  if (pod === undefined)
    return problem.reason === "FailedCreate" && age >= refusedSeconds && refusedForGood.test(problem.message);
  if (neverPulled.has(problem.reason)) return true;
  if (problem.reason === "ImagePullBackOff") return !registryIsAway.test(problem.message);
  if (problem.reason === "Unschedulable") return age >= unschedulableSeconds;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.some(({ restartCount = 0, ready }) => restartCount >= maxRestarts && ready !== true);
}

export interface WaitExplanation {
  ref: ObjectRef;
  state: "ready" | "progressing" | "failed";
  /** As `problems` of the service has it; empty when nothing is wrong. */
  sentence: string;
}

const replicaSets = { apiVersion: "apps/v1", kind: "ReplicaSet" };

/**
 * Why the workloads of an environment are not ready, and of which of them nothing can come without another change:
 * `failed`. One LIST a kind; warnings and logs only where something is wrong.
 * @param now Unix seconds
 * @throws ClusterError
 */
export async function explainWait(
  client: ClusterClient,
  {
    environmentId,
    namespace,
    workloads,
  }: { environmentId: string; namespace: string; workloads: readonly ManifestWorkload[] },
  now: number,
  call: CallOptions,
): Promise<WaitExplanation[]> {
  const kinds = [...workloads, ...(workloads.some(({ kind }) => kind === "Deployment") ? [replicaSets] : [])];
  const objects = await readEnvironment(client, { environmentId, namespace, kinds, ...call });
  const standing = new Map(objects.map((object) => [objectKey(refOf(object)), object]));
  const found = workloads.map((ref) => ({ ref, object: standing.get(objectKey(ref)) }));
  const unready = found.flatMap(({ object }) => {
    return object === undefined || workloadReady(object).state === "ready" ? [] : [object];
  });
  const pods = new Map(unready.map((object) => [object, isWorkload(object) ? currentPodsOf(object, objects) : []]));
  const problems = await findProblems(client, namespace, [...unready, ...[...pods.values()].flat()], call);
  return found.map(({ ref, object }): WaitExplanation => {
    if (object === undefined)
      return ref.expires === true
        ? { ref, state: "ready", sentence: "" }
        : { ref, state: "failed", sentence: absentSentence(ref) };
    const { state, reason } = workloadReady(object);
    if (state === "ready") return { ref, state, sentence: "" };
    const own = [...(pods.get(object) ?? []), object];
    const told = problems.filter(({ kind, name }) =>
      own.some((one) => one.kind === kind && one.metadata.name === name),
    );
    const hopeless = told.find((problem) => isHopeless(problem, podNamed(own, problem.name), now));
    const [first] = told;
    const sentence = hopeless?.message ?? first?.message ?? reason;
    return {
      ref,
      state: hopeless === undefined ? state : "failed",
      sentence: `${ref.kind} "${ref.name}": ${sentence}`,
    };
  });
}

function podNamed(objects: readonly LiveObject[], name: string) {
  return objects.filter(isPod).find(({ metadata }) => metadata.name === name);
}
