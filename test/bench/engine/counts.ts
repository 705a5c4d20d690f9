import { definedTransitions } from "../../harness/definedTransitions.ts";
import { type CostSums, leastTaskCosts } from "../../harness/taskCosts.ts";
import { makeGates } from "../../harness/tasks.ts";
import { type Goal, judged, printTable, progress } from "../report.ts";
import { type Bench, project } from "./benchedWorkflow.ts";

/** Decisions 7.3. */
const most = { job: 6, stage: 4 };
/** States around the stages: the last question, its answer, the conclusion and the end. */
const ofTask = definedTransitions([]);

const shapes = [[1], [2], [5], [1, 1], [1, 1, 1, 1, 1], [5, 5]];

/** Transitions, round trips and units of tasks by their jobs and stages: counted, the same on every machine. */
export async function benchCounts({ slipway, tasks }: Bench): Promise<void> {
  const rows: string[][] = [];
  let first: CostSums | undefined;
  for (const [at, stages] of shapes.entries()) {
    progress(`transitions and round trips of a task of stages of ${stages.join(", ")} jobs`);
    const workflow = `counted-${at}`;
    await makeGates(project, workflow, stages);
    const costs = await leastTaskCosts(slipway.runtime.aws, () => tasks.started(workflow, []));
    first ??= costs;
    const jobs = stages.reduce((sum, one) => sum + one, 0);
    const more = jobs - 1;
    const each = (of: keyof CostSums, base: number): string =>
      more === 0 ? "" : ((costs[of] - base) / more).toFixed(1);
    rows.push([
      stages.join(" + "),
      String(definedTransitions(stages.map((one) => ({ jobs: one })))),
      String(costs.transitions),
      ...judged(transitionGoal(stages.length, jobs, costs.transitions)),
      String(costs.trips),
      each("trips", first.trips),
      String(costs.units),
      each("units", first.units),
      String(costs.awsCalls),
    ]);
  }
  const header = [
    "jobs of its stages",
    "transitions as defined",
    "as run",
    "goal",
    "verdict",
    "round trips",
    "each job more",
    "units",
    "each job more",
    "other AWS calls",
  ];
  const how =
    "One task from its start call, operation log included, until its last execution has ended; the least of three runs. " +
    `Jobs are approvals that nobody is needed for. Transitions: ${ofTask} of the task, ≤ ${most.stage} a stage, ` +
    `≤ ${most.job} a job; units read and written.`;
  printTable("What a task takes", how, header, rows);
}

function transitionGoal(stages: number, jobs: number, entered: number): Goal {
  const goal = ofTask + most.stage * stages + most.job * jobs;
  return { text: `≤ ${goal}`, met: entered <= goal };
}
