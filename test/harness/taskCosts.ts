import {
  type ExecutionStatus,
  paginateGetExecutionHistory,
  paginateListExecutions,
  SFNClient,
} from "@aws-sdk/client-sfn";
import { awsClientOptions, config } from "../../shared/settings/config.ts";
import { recordAllStoreCalls, type StoreCall } from "../../shared/store/storeCalls.ts";
import { recordAwsCalls } from "./awsCalls.ts";
import { unitsOf } from "./storeCallsOf.ts";
import { waitFor } from "./waitFor.ts";

/** What a task took from the call that starts it until nothing of it runs any more. */
export interface TaskCosts {
  storeCalls: StoreCall[];
  /** Calls of AWS beside the table, by name. */
  awsCalls: Readonly<Record<string, number>>;
  /** StateEntered events of its execution and of those of its jobs. */
  transitions: number;
}

const states = () => new SFNClient(awsClientOptions());
const machines = () => [config().SLIPWAY_WORKFLOW_TASK_ARN, config().SLIPWAY_JOB_ARN];

/** Counts everything in this process while `start` starts one task or several and they run to their ends; nothing else may run. */
export async function taskCosts(start: () => Promise<unknown>): Promise<TaskCosts> {
  const before = new Set(await executions());
  const { result: aws, calls: storeCalls } = await recordAllStoreCalls(() =>
    recordAwsCalls(async () => {
      await start();
      await waitFor("all executions to end", async () => (await executions("RUNNING")).length === 0);
    }),
  );
  const { ListExecutions: _ours, ...awsCalls } = aws.calls;
  let transitions = 0;
  for (const arn of await executions()) if (!before.has(arn)) transitions += await statesEntered(arn);
  return { storeCalls, awsCalls, transitions };
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
export async function leastTaskCosts(start: () => Promise<unknown>): Promise<CostSums> {
  const runs: CostSums[] = [];
  for (let run = 0; run < 3; run++) {
    const { storeCalls, awsCalls, transitions } = await taskCosts(start);
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

async function executions(statusFilter?: ExecutionStatus): Promise<string[]> {
  const found: string[] = [];
  for (const stateMachineArn of machines())
    for await (const { executions = [] } of paginateListExecutions(
      { client: states() },
      { stateMachineArn, statusFilter },
    ))
      found.push(...executions.map(({ executionArn = "" }) => executionArn));
  return found;
}

async function statesEntered(executionArn: string): Promise<number> {
  let entered = 0;
  for await (const { events = [] } of paginateGetExecutionHistory({ client: states() }, { executionArn }))
    entered += events.filter(({ type = "" }) => type.endsWith("StateEntered")).length;
  return entered;
}
