import type { LocalAws } from "../../infra/local/aws/start.ts";
import { config } from "../../shared/base/settings/config.ts";
import { recordAllStoreCalls, type StoreCall } from "../../shared/base/store/storeCalls.ts";
import { recordAwsCalls } from "./awsCalls.ts";
import { unitsOf } from "./storeCallsOf.ts";
import { waitFor } from "./waitFor.ts";

/** What a task took from the call that starts it until nothing of it runs any more. */
interface TaskCosts {
  storeCalls: StoreCall[];
  /** Calls of AWS beside the table, by name. */
  awsCalls: Readonly<Record<string, number>>;
  /** StateEntered events of its execution and of those of its jobs. */
  transitions: number;
}

/** Counts everything in this process while `start` starts one task or several and they run to their ends; whatever runs already must do nothing meanwhile. */
async function taskCosts({ executions }: LocalAws, start: () => Promise<unknown>): Promise<TaskCosts> {
  const { SLIPWAY_WORKFLOW_TASK_ARN, SLIPWAY_JOB_ARN } = config();
  const all = (status?: "RUNNING") =>
    [SLIPWAY_WORKFLOW_TASK_ARN, SLIPWAY_JOB_ARN].flatMap((machine) => executions.list(machine, status));
  const before = new Set(all().map(({ name }) => name));
  const { result: aws, calls: storeCalls } = await recordAllStoreCalls(() =>
    recordAwsCalls(async () => {
      await start();
      await waitFor("its executions to end", async () => all("RUNNING").every(({ name }) => before.has(name)), 100);
    }),
  );
  const made = all().filter(({ name }) => !before.has(name));
  const transitions = made.reduce((sum, { statesEntered }) => sum + statesEntered, 0);
  return { storeCalls, awsCalls: aws.calls, transitions };
}

/** The sums of `TaskCosts`. */
export interface CostSums {
  transitions: number;
  trips: number;
  units: number;
  /** Of `units` those of reads. */
  readUnits: number;
  awsCalls: number;
}

/** The least of three runs: the reconciler may come by, and reads the same table. */
export async function leastTaskCosts(aws: LocalAws, start: () => Promise<unknown>): Promise<CostSums> {
  const runs: CostSums[] = [];
  for (let run = 0; run < 3; run++) {
    const { storeCalls, awsCalls, transitions } = await taskCosts(aws, start);
    const calls = Object.values(awsCalls).reduce((sum, count) => sum + count, 0);
    const reads = storeCalls.filter(({ kind }) => kind === "get" || kind === "getMany" || kind === "query");
    const units = { units: unitsOf(storeCalls), readUnits: unitsOf(reads) };
    runs.push({ transitions, trips: storeCalls.length, ...units, awsCalls: calls });
  }
  const least = (of: keyof CostSums): number => Math.min(...runs.map((run) => run[of]));
  return {
    ...{ transitions: least("transitions"), trips: least("trips") },
    ...{ units: least("units"), readUnits: least("readUnits"), awsCalls: least("awsCalls") },
  };
}
