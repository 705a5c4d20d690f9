import type { Item } from "../../base/store/tableClient.ts";
import type { LeaveOptions, Left } from "../../kube/apply/clusterScopedOwners.ts";
import { deletionOf, isKeptByPolicy, policySentence } from "../../kube/apply/keptByPolicy.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { ClusterUnreachable } from "../../kube/client/errors.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { describe } from "../../kube/client/objectRef.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import {
  type ClusterObject,
  type ClusterOwner,
  findClusterObjects,
  removeClusterObject,
  standingOwners,
  storeClusterObject,
} from "../store/clusterObjects.ts";
import type { Claimant } from "./clusterScopedOwnersOf.ts";
import { countForeign, foreignSentence } from "./countForeign.ts";
import { handOver } from "./handOver.ts";
import { belongsSentence, maxTries, ownersByLabel } from "./owners.ts";

type Record = Item<ClusterObject> | undefined;

/**
 * Takes the claimant from the owners of an object. The last one marks the record with the uid that goes, deletes that
 * object and drops the record: a caller that comes meanwhile finds the mark and waits for a new object, and the next
 * caller finishes a deletion that was cut off.
 * @throws ClusterError
 */
export async function leaveObject(
  claimant: Claimant,
  client: ClusterClient,
  ref: ObjectRef,
  options: LeaveOptions,
): Promise<Left> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const [record] = await findClusterObjects(claimant.place.clusterId, [ref]);
    const left = await leaveOnce(claimant, client, ref, record, options);
    if (left !== undefined) return left;
  }
  throw new ClusterUnreachable(`${describe(ref)} is being changed by others at the same moment`, "ETIMEDOUT");
}

/** @returns undefined when another process changed the record meanwhile */
async function leaveOnce(
  claimant: Claimant,
  client: ClusterClient,
  ref: ObjectRef,
  record: Record,
  options: LeaveOptions,
): Promise<Left | undefined> {
  const { listed, dryRun = false } = options;
  if (record?.leaving !== undefined)
    return dryRun ? { outcome: "absent" } : finish(client, ref, record.leaving, record);
  const owners = record?.owners ?? (await ownersByLabel(claimant, listed));
  const mine = owners.find((owner) => isMine(claimant, owner));
  const others = await standingOwners(owners.filter((owner) => owner.environmentId !== claimant.place.environmentId));
  const [heir] = others;
  if (heir !== undefined && record !== undefined) {
    const shared: Left = { outcome: "shared", why: `it stays: ${belongsSentence(ref, others)} too` };
    if (dryRun) return mine === undefined ? { outcome: "absent" } : shared;
    const { contentHash } = record;
    if (
      mine !== undefined &&
      !(await storeClusterObject(claimant.place.clusterId, ref, record, { contentHash, owners: others }))
    )
      return undefined;
    // A crash after the record was written left the label: the repetition finds it.
    if (listed?.metadata.labels?.[environmentLabel] === claimant.place.environmentId)
      await handOver(client, ref, heir, contentHash);
    return mine === undefined ? { outcome: "absent" } : shared;
  }
  return mine === undefined ? { outcome: "absent" } : goAway(claimant, client, ref, record, options);
}

function isMine({ place, serviceName }: Claimant, owner: ClusterOwner): boolean {
  const named = serviceName === undefined || owner.serviceName === serviceName;
  return owner.environmentId === place.environmentId && named;
}

/** The last owner leaves. */
async function goAway(
  { place, deleteCrds }: Claimant,
  client: ClusterClient,
  ref: ObjectRef,
  record: Record,
  { listed, dryRun = false, forGood = false, ...call }: LeaveOptions,
): Promise<Left | undefined> {
  const live = listed ?? (await findObject(client, ref, call));
  const uid = live?.metadata.uid;
  // Without a label of ours it was never applied: what it claims was refused, and the object there is another owner's.
  if (uid === undefined || live?.metadata.labels?.[environmentLabel] === undefined) {
    if (record !== undefined && !dryRun && !(await removeClusterObject(record))) return undefined;
    return { outcome: "absent" };
  }
  const kept = async (why: string, foreign?: number): Promise<Left | undefined> => {
    if (forGood && record !== undefined && !dryRun && !(await removeClusterObject(record))) return undefined;
    return { outcome: "kept", ...(foreign && { foreign }), why };
  };
  if (!(isDefinition(ref) && deleteCrds) && isKeptByPolicy(live)) return kept(policySentence(ref));
  // A caller that asked for the deletion of everything does not need the number, but a dry run reports it.
  const foreign = isDefinition(ref) && (dryRun || !deleteCrds) ? await countForeign(client, ref, place, call) : 0;
  const loss = `its deletion would delete ${foreignSentence(foreign)}`;
  if (foreign > 0 && !deleteCrds)
    return kept(`${describe(ref)} stays: ${loss}; to delete it all the same use ${deletionOf(ref)}`, foreign);
  if (dryRun) {
    await client.remove(ref, { uid, dryRun, ...call });
    return { outcome: "removed", foreign };
  }
  const going = { contentHash: record?.contentHash ?? "", owners: [], leaving: uid };
  if (!(await storeClusterObject(place.clusterId, ref, record, going))) return undefined;
  const [marked] = await findClusterObjects(place.clusterId, [ref]);
  return finish(client, ref, uid, marked?.leaving === uid ? marked : undefined);
}

async function finish(client: ClusterClient, ref: ObjectRef, uid: string, record: Record): Promise<Left> {
  const outcome = await client.remove(ref, { uid });
  if (outcome !== "removing" && record !== undefined) await removeClusterObject(record);
  return { outcome };
}
