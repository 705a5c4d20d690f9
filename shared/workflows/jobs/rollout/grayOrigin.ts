import * as z from "zod";
import type { Rollout } from "../../../environments/store/rollouts.ts";
import type { ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { grayOriginAnnotation } from "../../../kube/marks.ts";
import { deploymentRef } from "./findTarget.ts";

const schema = z.object({
  replicas: z.int().min(0),
  images: z.array(z.object({ container: z.string(), before: z.string(), after: z.string() })),
});

/** What a workload was before its gray release. */
export type GrayOrigin = z.output<typeof schema>;

/**
 * Keeps that at the workload itself, and so as long as the workload; nothing for rollouts of other modes. A repetition
 * writes the same text: each other one is a generation more.
 */
export async function noteOrigin(client: ClusterClient, rollout: Rollout): Promise<void> {
  const { gray, images } = rollout;
  const ref = deploymentRef(rollout);
  if (gray === undefined || (await findObject(client, ref)) === undefined) return;
  const origin: GrayOrigin = {
    replicas: gray.total,
    images: images.map(({ container, before, after }) => ({ container, before, after })),
  };
  await client.patch(ref, annotationPatch(JSON.stringify(origin)));
}

/** There is nothing to roll back any more. */
export async function forgetOrigin(client: ClusterClient, place: Parameters<typeof deploymentRef>[0]): Promise<void> {
  await client.patch(deploymentRef(place), annotationPatch(null));
}

function annotationPatch(value: string | null) {
  return { type: "merge", body: { metadata: { annotations: { [grayOriginAnnotation]: value } } } } as const;
}

/** Undefined where no gray release made the workload what it is, or somebody wrote something else there. */
export function originOf({ metadata }: LiveObject): GrayOrigin | undefined {
  const text = metadata.annotations?.[grayOriginAnnotation];
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
