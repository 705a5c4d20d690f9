import { nowSeconds } from "../../base/store/ids.ts";
import { padded } from "../../base/store/keys/keys.ts";
import { ChainCheck, type Finding } from "./chainCheck.ts";
import { NumberCheck } from "./numberCheck.ts";
import { type Chain, readChains } from "./store/chains.ts";
import { lastUnindexed, readCounts } from "./store/counts.ts";
import { operationsBehind, type RecordInOrder } from "./store/inOrder.ts";
import { pendingBefore } from "./store/pending.ts";
import { chainOf } from "./store/seal.ts";

/** What a look at the whole operation log found. */
export interface Verified {
  records: number;
  chains: number;
  /** Older than the chains: nothing can be told of them. */
  beforeChains: number;
  /** Stored without a seal; the reconciler seals them. */
  waiting: number;
  /** The first bad record of each project, by project. */
  findings: Finding[];
  /** What is wrong with the log as a whole, in sentences: numbers without a record, requests whose record was never closed. */
  problems: string[];
}

const recordsAtOnce = 250;
const openTooLongSeconds = 600;
/** Retention that removes records while they are looked at makes the look begin again. */
const maxLooks = 3;

/**
 * Reads the operation log once, in the order of its numbers, and follows the chain of every project: a record that was
 * changed, removed or inserted is found. Works while the log is written: the ends of the chains are read before the
 * records, so that whatever is missing up to there is missing, and again behind them.
 */
export async function verifyOperations(): Promise<Verified> {
  for (let looks = 1; ; looks++) {
    const before = await readChains({ consistent: true });
    const verified = await look(before);
    const after = await readChains({ consistent: true });
    if (
      (verified.findings.length === 0 && verified.problems.length === 0) ||
      looks === maxLooks ||
      !anchorsMoved(before, after)
    )
      return verified;
  }
}

async function look(chains: readonly Chain[]): Promise<Verified> {
  const checks = new Map(chains.map((chain) => [chain.name, new ChainCheck(chain)]));
  const checkOf = (name: string): ChainCheck => {
    const found = checks.get(name) ?? new ChainCheck({ name });
    checks.set(name, found);
    return found;
  };
  const verified: Verified = { records: 0, chains: 0, beforeChains: 0, waiting: 0, findings: [], problems: [] };
  const counts = await readCounts({ consistent: true });
  const numbers = new NumberCheck(counts);
  const lastOld = lastUnindexed(counts);
  for (let after = ""; ; ) {
    const some = await operationsBehind(after, recordsAtOnce, { consistent: true });
    if (some.length === 0) break;
    for (const item of some) {
      take(item, lastOld, checkOf, verified);
      numbers.take(item.sequence);
    }
    after = some.at(-1)?.key ?? after;
  }
  const ends = new Map((await readChains({ consistent: true })).map(({ name, end }) => [name, end.sequence]));
  verified.chains = checks.size;
  for (const [name, check] of checks) {
    const finding = check.conclude(ends.get(name) ?? 0);
    if (finding !== undefined) verified.findings.push(finding);
  }
  // A record that was removed has no number either, and says more.
  if (verified.findings.length === 0) verified.problems.push(...(await numbers.conclude()), ...(await leftOpen()));
  verified.findings.sort((a, b) => (a.project < b.project ? -1 : 1));
  return verified;
}

function take(item: RecordInOrder, lastOld: number, checkOf: (chain: string) => ChainCheck, verified: Verified): void {
  verified.records++;
  const { seal, sequence, record } = item;
  const chain = seal?.chain ?? chainOf(record.projectKey);
  if (item.key !== padded(sequence)) checkOf(chain).refuse(seal?.chainSequence ?? 0, sequence, "was inserted");
  else if (seal !== undefined) checkOf(chain).take(seal, sequence, record);
  else if (item.waits) verified.waiting++;
  else if (sequence <= lastOld) verified.beforeChains++;
  else checkOf(chain).refuse(0, sequence, "was inserted: it has no seal");
}

/** Records that the reconciler should have closed long ago. */
async function leftOpen(): Promise<string[]> {
  const open = await pendingBefore(nowSeconds() - openTooLongSeconds, 1);
  return open.map(
    ({ summary }) =>
      `a request of ${new Date(summary.createdAt * 1000).toISOString()} (${summary.method} ${summary.function}) has had no record for more than ten minutes: does the reconciler run?`,
  );
}

function anchorsMoved(before: readonly Chain[], after: readonly Chain[]): boolean {
  const anchors = new Map(before.map(({ name, anchor }) => [name, anchor.sequence]));
  return after.some(({ name, anchor }) => (anchors.get(name) ?? 0) !== anchor.sequence);
}

/** A finding in a sentence for people. */
export function describeFinding({ project, chainSequence, sequence, what }: Finding): string {
  const where = project === "" ? "without a project" : `of project ${project}`;
  const record = chainSequence === 0 ? "a record" : `record ${chainSequence}`;
  return `${record} ${where}${sequence === 0 ? "" : ` (${sequence} in the whole log)`} ${what}`;
}
