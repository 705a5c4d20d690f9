import { recordAllStoreCalls } from "../../../shared/base/store/storeCalls.ts";
import { findHead } from "../../../shared/workflows/records/taskHeads.ts";
import { unitsOf } from "../../harness/storeCallsOf.ts";
import { makeGates } from "../../harness/tasks.ts";
import { number, timed } from "../figures.ts";
import { judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { type Bench, project, setLimit, statusesWhenOver } from "./benchedWorkflow.ts";

const crowd = quick ? 10 : 100;
const limit = 3;

/** Starts at the same moment: what they cost while nothing may run, and how many run at once then. */
export async function benchCrowd(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const [what, atOnce] of [
    ["one after the other", 1],
    ["at the same moment", crowd],
  ] as const) {
    progress(`${crowd} starts, ${what}`);
    rows.push(await starts(bench, what, atOnce));
  }
  const header = [
    "starts",
    "all accepted after, ms",
    "a second",
    "trips a start",
    "units a start",
    "numbers",
    "goal",
    "verdict",
    "most running",
    "goal",
    "verdict",
  ];
  const how =
    `${crowd} start calls of one workflow, accepted while none may run, operation log included: trips without those that lost against another start; then at most ${limit} run ` +
    "at once, watched every 5 ms until all have passed.";
  printTable("Starts at the same moment", how, header, rows);
}

async function starts(bench: Bench, what: string, atOnce: number): Promise<string[]> {
  const workflow = `crowd-of-${atOnce}`;
  await makeGates(project, workflow, [1], { concurrency_limit: 0 });
  const ids: number[] = [];
  const { result, calls } = await recordAllStoreCalls(() =>
    timed(async () => {
      while (ids.length < crowd)
        ids.push(...(await Promise.all(Array.from({ length: atOnce }, () => bench.tasks.started(workflow, [])))));
    }),
  );
  const { milliseconds } = result;
  const trips = calls.length;
  const wanted = Array.from({ length: crowd }, (_, at) => at + 1);
  const areDistinct = [...ids].sort((a, b) => a - b).join() === wanted.join();
  const most = await maxRunning(bench, workflow, ids);
  return [
    `${crowd} ${what}`,
    number(milliseconds),
    number(crowd / (milliseconds / 1000), 1),
    number(trips / crowd, 1),
    number(unitsOf(calls) / crowd, 1),
    areDistinct ? `1 to ${crowd}` : "wrong",
    ...judged({ text: `1 to ${crowd}`, met: areDistinct }),
    String(most),
    ...judged({ text: `≤ ${limit}`, met: most <= limit }),
  ];
}

async function maxRunning(bench: Bench, workflow: string, ids: readonly number[]): Promise<number> {
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, (await findHead(workflow))?.running ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await setLimit(bench, workflow, limit);
  await statusesWhenOver(workflow, ids).finally(() => {
    isOver = true;
  });
  await watching;
  return most;
}
