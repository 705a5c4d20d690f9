import { operationsAfter, type RecordInOrder } from "../../../shared/access/audit/store/inOrder.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { toOperationLog } from "./wire.ts";

/** Below what a Lambda function may answer, quotes of the lines escaped. */
const maxCharacters = 2_000_000;
const recordsAtOnce = 200;
/** Longer than it takes from a number to its record, where the request is killed and the reconciler stores it, too. */
const settledSeconds = 600;

/**
 * Records after number `after` in the order of their numbers, as lines of JSON with their seals: at most `limit`, and
 * as many as an answer may hold. A record whose number was taken a moment ago and that is still being written ends
 * them, so that a client that continues after the last one misses none.
 */
export async function exportOperations(after: number, limit: number): Promise<{ lines: string; last: number }> {
  const lines: string[] = [];
  let last = after;
  let characters = 0;
  while (lines.length < limit) {
    const some = await operationsAfter(last, Math.min(recordsAtOnce, limit - lines.length));
    for (const item of some) {
      const line = lineOf(item);
      characters += line.length;
      const full = lines.length > 0 && characters > maxCharacters;
      if (full || isStillWritten(last, item)) return { lines: lines.join(""), last };
      lines.push(line);
      last = item.sequence;
    }
    if (some.length === 0) break;
  }
  return { lines: lines.join(""), last };
}

function isStillWritten(last: number, { sequence, record }: RecordInOrder): boolean {
  return sequence > last + 1 && record.createdAt > nowSeconds() - settledSeconds;
}

function lineOf({ sequence, record, seal }: RecordInOrder): string {
  const sealed = {
    chain: seal?.chain ?? "",
    chain_sequence: seal?.chainSequence ?? 0,
    previous_hash: seal?.previousHash ?? "",
    hash: seal?.hash ?? "",
  };
  return `${JSON.stringify({ sequence, ...toOperationLog(record), ...sealed })}\n`;
}
