import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { Applied, CallOptions, ClusterClient } from "../client/ClusterClient.ts";
import { type AdoptableManagers, adoptableManagers, adoptFields, holdsAdoptable } from "./adoptFields.ts";

/**
 * Applies an object whatever others hold of it. Whose fields are taken over is seen in the answer: only where there are
 * some, they become ours and the object is applied once more, so that what it does not name goes.
 */
export async function applyByForce(
  client: ClusterClient,
  object: KubeObject,
  { takes = adoptableManagers(), ...call }: CallOptions & { takes?: AdoptableManagers } = {},
): Promise<Applied> {
  const options = { force: true, ...call };
  const applied = await client.apply(object, options);
  if (!holdsAdoptable(applied.object, takes)) return applied;
  await adoptFields(client, applied.object, takes, call);
  return client.apply(object, options);
}
