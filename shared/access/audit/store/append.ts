import type { Key } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed, conflictedOn, TransactionContended } from "../../../base/store/tableClient.ts";
import { create, named, update } from "../../../base/store/writes.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";
import { moveChainEnd, type ReadChainEnd, readChainEnd } from "./chains.ts";
import { type Places, takePlaces } from "./counts.ts";
import { placesItem, recordItem } from "./operationItems.ts";
import { closePending } from "./pending.ts";
import { chainOf, sealBehind } from "./seal.ts";

const maxTries = 10;
const longestPauseMilliseconds = 200;

/** What became of a record: tied to its chain, or stored and still to be tied (decisions 3.8). */
export type Appended = { sequence: number; sealed: boolean };

/** How a record is appended. */
export interface Appending {
  /** What its request left when it began. Where another process closed that, the record is appended all the same. */
  pending?: Key;
  /** Numbers that an earlier request took and never used; without them it takes new ones. */
  places?: Places;
  /** Nothing is appended where another process has closed what is pending. */
  mustClose?: boolean;
}

/**
 * Appends a record: it gets its numbers and its places in lists, and is stored in one transaction with the end of its
 * project's chain, which closes what is pending. When it loses against another record of the same project, it is tried
 * again, up to 10 times with jitter; then the record is stored without a seal and `sealOperations` has to be called
 * later. Append-only: only its sealing changes a record.
 * @throws ConditionFailed where another process has closed what must be closed
 */
export async function appendOperation(given: OperationRecord, appending: Appending = {}): Promise<Appended> {
  const record = wellFormed(given);
  const chain = chainOf(record.projectKey);
  const { mustClose = false } = appending;
  let { pending } = appending;
  let [places, end] = await Promise.all([
    appending.places ?? takePlaces(record),
    readChainEnd(chain) as Promise<ReadChainEnd | undefined>,
  ]);
  await putPlaces(record, places);
  for (let tries = 1; ; tries++) {
    const lost = await store(record, places, end, { pending, mustClose });
    if (lost === undefined) return { sequence: places.sequence, sealed: end !== undefined };
    if (lost.has("pending operation")) pending = undefined;
    if (lost.has("operation number")) {
      places = await takePlaces(record);
      await putPlaces(record, places);
    }
    await pause(tries);
    end = tries < maxTries ? await readChainEnd(chain) : undefined;
  }
}

/**
 * Puts a record into its lists, before the record itself exists: readers of the lists skip what is missing, and no
 * record is ever missing in its lists.
 */
async function putPlaces(record: OperationRecord, places: Places): Promise<void> {
  const { pk, sk, ...set } = placesItem(record, places);
  await table().updateOne(update({ pk, sk }, { set }));
}

/**
 * @param end undefined: without a seal
 * @returns which of its writes lost, of those that others may have made before; nothing when it is stored
 */
async function store(
  record: OperationRecord,
  places: Places,
  end: ReadChainEnd | undefined,
  { pending, mustClose }: { pending: Key | undefined; mustClose: boolean },
): Promise<ReadonlySet<string> | undefined> {
  const seal = end && sealBehind(end, places.sequence, record);
  const writes = [
    ...(end && seal ? [moveChainEnd(seal.chain, end, { sequence: seal.chainSequence, hash: seal.hash })] : []),
    named("operation number", create(recordItem(record, places, seal))),
    ...(pending === undefined ? [] : [closePending(pending)]),
  ];
  try {
    await (end ? table().writeOnce(...writes) : table().write(...writes));
    return undefined;
  } catch (error) {
    if (error instanceof TransactionContended && end !== undefined) return new Set();
    if (mustClose && conflictedOn(error, "pending operation")) throw error;
    const mine = ["chain end", "operation number", "pending operation"] as const;
    if (error instanceof ConditionFailed && mine.some((name) => conflictedOn(error, name)))
      return new Set(error.failed);
    throw error;
  }
}

function pause(tries: number): Promise<void> {
  const longest = Math.min(5 * 2 ** tries, longestPauseMilliseconds);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}

/** Half a character pair, where a text was cut or sent so, would be stored as another character than was hashed. */
function wellFormed(record: OperationRecord): OperationRecord {
  const { origin } = record;
  return {
    ...record,
    username: record.username.toWellFormed(),
    projectKey: record.projectKey.toWellFormed(),
    targets: record.targets.map((target) => target.toWellFormed()),
    detail: record.detail.toWellFormed(),
    requestBody: record.requestBody.toWellFormed(),
    ...(origin && {
      origin: { ...origin, tokenName: origin.tokenName.toWellFormed(), agent: origin.agent.toWellFormed() },
    }),
  };
}
