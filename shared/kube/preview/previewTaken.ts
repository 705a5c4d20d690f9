import { isDeepStrictEqual } from "node:util";
import { type AdoptableManagers, isTaken, lastAppliedAnnotation } from "../apply/adoptFields.ts";
import { fieldsOnlyOf, withoutFields } from "../apply/fieldsOnlyOf.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { ownersOf } from "../drift/fieldOwners.ts";

/**
 * What an apply leaves after it took over fields of others, from its dry run: what they alone held and we do not name
 * goes. The server fills in its defaults again, in a dry run too.
 */
export async function previewTaken(
  client: ClusterClient,
  applied: LiveObject,
  takes: AdoptableManagers,
  { autoscaled, ...call }: CallOptions & { autoscaled: boolean },
): Promise<LiveObject> {
  const owners = ownersOf(applied).map((owner, position) => {
    return { owner, isTaken: isTaken(applied.metadata.managedFields?.[position] ?? {}, takes) };
  });
  const taken = owners.filter((one) => one.isTaken).map(({ owner }) => owner);
  const others = owners.filter((one) => !one.isTaken).map(({ owner }) => owner);
  const going = fieldsOnlyOf(applied, taken, others).filter(
    ({ path }) => !(autoscaled && isDeepStrictEqual(path, ["spec", "replicas"])),
  );
  const left = withoutFields(applied, going);
  delete left.metadata.annotations?.[lastAppliedAnnotation];
  const operations = Object.keys(applied)
    .filter((key) => !["apiVersion", "kind", "metadata", "status"].includes(key))
    .filter((key) => !isDeepStrictEqual(left[key], applied[key]))
    .map((key) =>
      key in left ? { op: "replace", path: `/${key}`, value: left[key] } : { op: "remove", path: `/${key}` },
    );
  if (operations.length === 0) return left;
  const patch = { type: "json" as const, body: operations };
  const { metadata: _metadata, ...content } = await client.patch(refOf(applied), patch, { dryRun: true, ...call });
  return { ...content, metadata: left.metadata };
}
