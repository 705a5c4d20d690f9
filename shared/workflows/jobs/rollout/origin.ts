import * as z from "zod";
import type { Rollout, RolloutMode, WorkloadPlace } from "../../../environments/store/rollouts.ts";
import { grayOriginAnnotation, istioOriginAnnotation } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { deploymentRef } from "./findTarget.ts";

const schema = z.object({
  replicas: z.int().min(0),
  images: z.array(z.object({ container: z.string(), before: z.string(), after: z.string() })),
});

/** What a workload was before its release. */
export type Origin = z.output<typeof schema>;

/** Where releases that can be rolled back note it, each kind its own. */
const annotations = { gray: grayOriginAnnotation, istio: istioOriginAnnotation } as const;
export type NotedMode = keyof typeof annotations;

const isNoted = (mode: RolloutMode | undefined): mode is NotedMode => mode === "gray" || mode === "istio";

/**
 * Keeps that at the workload itself, and so as long as the workload; nothing for rollouts of other modes. A repetition
 * writes the same text: each other one is a generation more.
 */
export async function recordOrigin(client: ClusterClient, rollout: Rollout): Promise<void> {
  const { mode, gray, istio, images } = rollout;
  const total = (gray ?? istio)?.total;
  const ref = deploymentRef(rollout);
  if (!isNoted(mode) || total === undefined || (await findObject(client, ref)) === undefined) return;
  const origin: Origin = {
    replicas: total,
    images: images.map(({ container, before, after }) => ({ container, before, after })),
  };
  await client.patch(ref, annotationPatch(mode, JSON.stringify(origin)));
}

/** Removes the note: nothing is left to roll back. */
export async function removeOrigin(client: ClusterClient, place: WorkloadPlace, mode: NotedMode): Promise<void> {
  await client.patch(deploymentRef(place), annotationPatch(mode, null));
}

function annotationPatch(mode: NotedMode, value: string | null) {
  return { type: "merge", body: { metadata: { annotations: { [annotations[mode]]: value } } } } as const;
}

/** Undefined where no such release made the workload what it is, or the annotation holds something else. */
export function originOf({ metadata }: LiveObject, mode: NotedMode): Origin | undefined {
  const text = metadata.annotations?.[annotations[mode]];
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
