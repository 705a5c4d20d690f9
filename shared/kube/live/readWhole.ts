import { mapBounded } from "../../base/common/mapBounded.ts";
import { environmentLabel } from "../apply/marks.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";
import { findObject } from "../client/findObject.ts";
import { kindKey } from "../objectKey.ts";

/**
 * Whole live objects of the given kinds: one LIST per kind. In the namespace also those that lost our labels;
 * of cluster-scoped kinds those that carry the environment's, and what is named, whatever it carries.
 * @throws ClusterError when the cluster cannot be read
 */
export async function readWhole(
  client: ClusterClient,
  kinds: readonly (KindRef & { name?: string })[],
  place: { environmentId: string; namespace: string },
  call: CallOptions = {},
): Promise<{ objects: LiveObject[]; namespaced: Map<string, boolean> }> {
  const distinct = new Map(kinds.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]));
  const namespaced = new Map<string, boolean>();
  const lists = await mapBounded([...distinct], 16, async ([key, kind]) => {
    try {
      const inNamespace = (await client.resource(kind, call)).namespaced;
      namespaced.set(key, inNamespace);
      const where = inNamespace
        ? { namespace: place.namespace }
        : { labelSelector: `${environmentLabel}=${place.environmentId}` };
      const { items } = await client.list(kind, { ...where, ...call });
      if (inNamespace) return items;
      const names = kinds.flatMap(({ name, ...one }) =>
        name !== undefined && kindKey(one) === kindKey(kind) ? [name] : [],
      );
      const unlisted = [...new Set(names)].filter((name) => items.every(({ metadata }) => metadata.name !== name));
      const found = await mapBounded(unlisted, 16, (name) => findObject(client, { ...kind, name }, call));
      return [...items, ...found.filter((one) => one !== undefined)];
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  return { objects: lists.flat(), namespaced };
}
