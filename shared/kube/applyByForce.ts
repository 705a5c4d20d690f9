import type { KubeObject } from "../manifest/kubeObject.ts";
import type { Applied, CallOptions, ClusterClient } from "./client/ClusterClient.ts";
import { holdsTaken, type TakesFrom, takeFields, takesFrom } from "./takeFields.ts";

/**
 * Applies an object whatever others hold of it. Whose fields are taken over is seen in the answer: only where there are
 * some, they become ours and the object is applied once more, so that what it does not name goes.
 */
export async function applyByForce(
  client: ClusterClient,
  object: KubeObject,
  { takes = takesFrom(), ...call }: CallOptions & { takes?: TakesFrom } = {},
): Promise<Applied> {
  const options = { force: true, ...call };
  const applied = await client.apply(object, options);
  if (!holdsTaken(applied.object, takes)) return applied;
  await takeFields(client, applied.object, takes, call);
  return client.apply(object, options);
}
