import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterKindUnknown, ClusterNotFound } from "../client/errors.ts";
import { conditionOf } from "../live/conditions.ts";
import { kindKey } from "../objectKey.ts";
import type { ObjectResult } from "./applyResult.ts";
import { environmentLabel } from "./marks.ts";
import { waitForObjects } from "./waitForObjects.ts";

const establishSeconds = 30;
const lookMilliseconds = 100;

const definitionSpec = z.object({
  group: z.string(),
  names: z.object({ kind: z.string() }),
  versions: z.array(z.object({ name: z.string(), served: z.boolean() })),
});

/**
 * Waits until the definitions that were just applied are served, so that objects of their kinds can follow. One that does
 * not come in time is not reported here: the objects of its kind are.
 */
export async function waitEstablished(
  client: ClusterClient,
  applied: readonly ObjectResult[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const definitions = applied.filter(
    ({ ref, action }) =>
      kindKey(ref) === "CustomResourceDefinition.apiextensions.k8s.io" &&
      (action === "created" || action === "changed"),
  );
  const first = definitions[0];
  if (first === undefined) return;
  const names = definitions.map(({ ref }) => ref.name);
  const endsAt = Date.now() + establishSeconds * 1000;
  let established: LiveObject[] = [];
  // One watch for all of them; a cluster has few definitions that carry our label.
  const areThere = await waitForObjects(
    client,
    first.ref,
    { labelSelector: environmentLabel },
    (objects) => {
      established = [...objects.values()].filter(
        (object) => names.includes(object.metadata.name) && conditionOf(object, "Established")?.status === "True",
      );
      return established.length === names.length;
    },
    { deadlineSeconds: establishSeconds, signal },
  );
  if (areThere) await Promise.all(established.map((definition) => untilServed(client, definition, endsAt, signal)));
}

/** An API server serves a kind a moment after it says that its definition is established. */
async function untilServed(
  client: ClusterClient,
  { spec }: LiveObject,
  endsAt: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { group, names, versions } = definitionSpec.parse(spec);
  const version = versions.find(({ served }) => served);
  if (version === undefined) return;
  const kind = { apiVersion: `${group}/${version.name}`, kind: names.kind };
  while (Date.now() < endsAt && !signal?.aborted) {
    try {
      await client.list(kind, { most: 1, metadataOnly: true, ...(signal && { signal }) });
      return;
    } catch (error) {
      // Whatever else is wrong the objects of the kind tell.
      if (!(error instanceof ClusterKindUnknown || error instanceof ClusterNotFound)) return;
    }
    await sleep(lookMilliseconds);
  }
}
