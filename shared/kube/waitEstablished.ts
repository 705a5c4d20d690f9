import type { ObjectResult } from "./applyResult.ts";
import type { ClusterClient } from "./client/ClusterClient.ts";
import { conditionOf } from "./conditions.ts";
import { environmentLabel } from "./marks.ts";
import { kindKey } from "./objectKey.ts";
import { waitForObjects } from "./waitForObjects.ts";

const establishSeconds = 30;

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
  // One watch for all of them; a cluster has few definitions that carry our label.
  await waitForObjects(
    client,
    first.ref,
    { labelSelector: environmentLabel },
    (objects) => {
      const established = [...objects.values()].filter(
        (object) => conditionOf(object, "Established")?.status === "True",
      );
      return names.every((name) => established.some(({ metadata }) => metadata.name === name));
    },
    { deadlineSeconds: establishSeconds, signal },
  );
}
