import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { currentPodsOf } from "../currentPodsOf.ts";
import { isPod, isWorkload } from "../liveTypes.ts";
import { objectKey } from "../objectKey.ts";
import { readEnvironment } from "../readEnvironment.ts";
import type { ManifestWorkload } from "../workloadKinds.ts";
import { workloadReady } from "../workloadReady.ts";
import { findProblems } from "./findProblems.ts";
import { isHopeless } from "./isHopeless.ts";
import { absentSentence } from "./liveReason.ts";

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
