import { hasLostOnly, TransactionContended } from "../../store/table.ts";
import { table } from "../../store/theTable.ts";
import { create } from "../../store/writes.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";
import { moveChainEnd, type ReadChainEnd, readChainEnd } from "./chains.ts";
import { type Places, takePlaces } from "./counts.ts";
import { operationItems } from "./operationItems.ts";
import { chainOf, sealBehind } from "./seal.ts";

const maxTries = 10;
const longestPauseMilliseconds = 200;

/** What became of a record: tied to its chain, or stored and still to be tied (decisions 3.8). */
export type Appended = { sequence: number; sealed: boolean };

/**
 * Appends a record: it gets its numbers, and is stored in one transaction with the end of its project's chain. Whoever
 * loses against another record of the same project tries again, up to 10 times with jitter; then the record is stored
 * without a seal and `sealOperations` has to be called later. Append-only: nothing changes a record but its sealing.
 */
export async function appendOperation(given: OperationRecord): Promise<Appended> {
  const record = wellFormed(given);
  const chain = chainOf(record.projectKey);
  const [places, end] = await Promise.all([takePlaces(record), readChainEnd(chain)]);
  const { sequence } = places;
  if (await storeSealed(record, places, end)) return { sequence, sealed: true };
  for (let tries = 2; tries <= maxTries; tries++) {
    await pause(tries);
    if (await storeSealed(record, places, await readChainEnd(chain))) return { sequence, sealed: true };
  }
  await table().write(...operationItems(record, places).map(create));
  return { sequence, sealed: false };
}

/** @returns false when another record of the chain was faster */
async function storeSealed(record: OperationRecord, places: Places, end: ReadChainEnd): Promise<boolean> {
  const seal = sealBehind(end, places.sequence, record);
  const items = operationItems(record, places, seal).map(create);
  const moved = moveChainEnd(seal.chain, end, { sequence: seal.chainSequence, hash: seal.hash });
  try {
    await table().writeOnce(moved, ...items);
    return true;
  } catch (error) {
    if (error instanceof TransactionContended || hasLostOnly(error, "chain end")) return false;
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
