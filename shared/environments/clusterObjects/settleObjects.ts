import { mapBounded } from "../../base/common/mapBounded.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { labelledFor, labelledLike, type Settled, sharedHash } from "../../kube/apply/clusterScopedOwners.ts";
import { contentHashAnnotation } from "../../kube/apply/marks.ts";
import type { PreparedObject } from "../../kube/apply/prepareObjects.ts";
import { removeAndWait } from "../../kube/apply/removeAndWait.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { ClusterUnreachable } from "../../kube/client/errors.ts";
import { describe } from "../../kube/client/objectRef.ts";
import type { LiveIndex } from "../../kube/live/readLive.ts";
import {
  type ClusterObject,
  type ClusterOwner,
  findClusterObjects,
  removeClusterObject,
  standingOwners,
  storeClusterObject,
} from "../store/clusterObjects.ts";
import type { Claimant } from "./clusterScopedOwnersOf.ts";
import { belongsSentence, maxTries, ownerOf, ownersByLabel, scopeOf } from "./owners.ts";

const concurrency = 8;

type Record = Item<ClusterObject> | undefined;

/** Settles who has each of the objects: one read of the records, a write only for what changes. */
export async function settleObjects(
  claimant: Claimant,
  client: ClusterClient,
  objects: readonly PreparedObject[],
  live: LiveIndex,
  options: CallOptions & { take: boolean },
): Promise<Settled[]> {
  const records = await findClusterObjects(
    claimant.place.clusterId,
    objects.map(({ ref }) => ref),
  );
  const pairs = objects.map((one, position) => ({ one, record: records[position] }));
  return mapBounded(pairs, concurrency, async ({ one, record }) => {
    const listed = live.get(one.key);
    if (!options.take) return (await decide(claimant, one, listed, record)).settled;
    return takeOne(claimant, client, one, listed, record, options);
  });
}

async function takeOne(
  claimant: Claimant,
  client: ClusterClient,
  one: PreparedObject,
  listed: LiveObject | undefined,
  found: Record,
  call: CallOptions,
): Promise<Settled> {
  const { clusterId } = claimant.place;
  let record = found;
  let replaced = false;
  for (let tries = 1; tries <= maxTries; tries++) {
    if (record?.leaving !== undefined) {
      // That it goes is decided, and who decided may be deleting it at this moment: it makes room for a new one.
      await removeAndWait(client, one.ref, record.leaving, call);
      await removeClusterObject(record);
      replaced = true;
    } else {
      const { settled, next } = await decide(claimant, one, replaced ? undefined : listed, record);
      if (next === undefined || (await storeClusterObject(clusterId, one.ref, record, next)))
        return settled.conflict === undefined ? { ...settled, replaced } : settled;
    }
    [record] = await findClusterObjects(clusterId, [one.ref]);
  }
  throw new ClusterUnreachable(`${describe(one.ref)} is being changed by others at the same moment`, "ETIMEDOUT");
}

/** Whether the claimant may have the object; `next` is what has to be recorded for that, when it is not yet. */
async function decide(
  claimant: Claimant,
  one: PreparedObject,
  listed: LiveObject | undefined,
  record: Record,
): Promise<{ settled: Settled; next?: ClusterObject }> {
  const { place, serviceName } = claimant;
  const contentHash = sharedHash(one.object);
  const recorded = record?.leaving === undefined ? record : undefined;
  const owners =
    recorded === undefined
      ? await ownersByLabel(claimant, listed)
      : await standing(recorded.owners, place.environmentId);
  const refused = (why: string): Settled => ({ one, conflict: `resource ownership conflict: ${why}` });

  const mine = owners.find(({ environmentId }) => environmentId === place.environmentId);
  if (mine !== undefined && mine.serviceName !== serviceName) {
    const of = mine.serviceName === "" ? "the configuration" : `service "${mine.serviceName}"`;
    return { settled: refused(`${describe(one.ref)} belongs to ${of} of this environment`) };
  }
  const others = owners.filter((owner) => owner !== mine);
  const isEqual =
    recorded === undefined
      ? listed !== undefined && labelledLike(one, listed).hash === listed.metadata.annotations?.[contentHashAnnotation]
      : recorded.contentHash === contentHash;
  if (others.length > 0 && !isEqual)
    return {
      settled: refused(`${belongsSentence(one.ref, others)} with other content; only equal content can be shared`),
    };

  const next = { contentHash, owners: mine === undefined ? [...owners, ownerOf(claimant)] : owners };
  const [first] = next.owners;
  const settled = { one: first === undefined || first === mine ? one : labelledFor(one, scopeOf(first)) };
  const same = isEqual && recorded?.owners.length === owners.length && mine !== undefined;
  return same ? { settled } : { settled, next };
}

/** The claimant's own environment is asked for only when others are. */
async function standing(owners: readonly ClusterOwner[], environmentId: string): Promise<ClusterOwner[]> {
  const others = await standingOwners(owners.filter((owner) => owner.environmentId !== environmentId));
  return owners.filter((owner) => owner.environmentId === environmentId || others.includes(owner));
}
