import { findWorkflow } from "../../../shared/workflows/saved/store/workflows.ts";
import { addHistory } from "../../harness/addHistory.ts";
import { makeGates } from "../../harness/tasks.ts";
import { median, number, percentile, rotated, slope, times } from "../figures.ts";
import { atMost, judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";

import { type Bench, project, setLimit, statusesWhenOver } from "./benchedWorkflow.ts";
import { type LoggedStatus, timeOf } from "./statusLog.ts";

/** Tasks in the history of the workflow. */
const sizes = quick ? [1, 40] : [1, 500, 1000];
const rounds = quick ? 1 : 5;
const queued = quick ? 3 : 10;
const shape = [3, 1, 1];
const maxGrowth = 1.2;

const kinds = ["job to the next of its stage", "job to the next stage's first", "task to the next queued one"] as const;
type Kind = (typeof kinds)[number];
/** Milliseconds from each end to the next start. */
type Gaps = Record<Kind, number[]>;

/** From an end to the next start, by what stands in the history of the workflow. */
export async function benchGaps(bench: Bench): Promise<void> {
  const gaps = new Map<number, Gaps>();
  for (const size of sizes) {
    progress(`a history of ${size} tasks`);
    const workflow = workflowOf(size);
    await makeGates(project, workflow, shape, { concurrency_limit: 1 });
    await statusesWhenOver(workflow, [await bench.tasks.started(workflow, [])]);
    await addHistory((await findWorkflow(workflow))?.workflowId ?? "", size);
    gaps.set(size, { [kinds[0]]: [], [kinds[1]]: [], [kinds[2]]: [] });
  }
  for (let round = 0; round < rounds; round++)
    for (const size of rotated(sizes, round)) {
      progress(`end to start with ${size} tasks in the history, round ${round + 1} of ${rounds}`);
      const found = gaps.get(size);
      if (found !== undefined) await measure(bench, workflowOf(size), found);
    }
  print(gaps);
}

const workflowOf = (size: number): string => `history-${size}`;

/** Queues tasks while none may start, then lets one run after the other: nobody calls meanwhile. */
async function measure(bench: Bench, workflow: string, gaps: Gaps): Promise<void> {
  await setLimit(bench, workflow, 0);
  const ids: number[] = [];
  for (let at = 0; at < queued; at++) ids.push(await bench.tasks.started(workflow, []));
  await setLimit(bench, workflow, 1);
  const statuses = await statusesWhenOver(workflow, ids);
  for (const [at, taskId] of ids.entries()) {
    const previous = ids[at - 1];
    if (previous !== undefined)
      gaps[kinds[2]].push(
        timeOf(statuses, { taskId, job: "", to: "running" }) -
          timeOf(statuses, { taskId: previous, job: "", to: "passed" }),
      );
    addJobGaps(statuses, taskId, gaps);
  }
}

function addJobGaps(statuses: readonly LoggedStatus[], taskId: number, gaps: Gaps): void {
  const jobs = statuses.filter((one) => one.taskId === taskId && one.job !== "" && one.to === "prepare");
  for (const [at, { job, at: startedAt }] of jobs.entries()) {
    const previous = jobs[at - 1]?.job;
    if (previous === undefined) continue;
    const isSameStage = stageOf(previous) === stageOf(job);
    gaps[isSameStage ? kinds[0] : kinds[1]].push(startedAt - timeOf(statuses, { taskId, job: previous, to: "passed" }));
  }
}

/** A job task is named `job-<stage>-…`. */
const stageOf = (job: string): string => job.split("-")[1] ?? "";

function print(gaps: ReadonlyMap<number, Gaps>): void {
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const rows = kinds.map((kind) => {
    const of = (size: number): number[] => gaps.get(size)?.[kind] ?? [];
    const growth = median(of(most)) / median(of(least));
    return [
      kind,
      String(of(most).length),
      ...[least, most].flatMap((size) => [number(median(of(size))), number(percentile(of(size), 0.95))]),
      times(growth),
      ...judged(atMost(growth, maxGrowth, times)),
      number(1000 * slope(sizes.map((size) => [size, median(of(size))] as const)), 1),
    ];
  });
  const at = (size: number): string => `at ${size.toLocaleString("en")}`;
  const header = [
    "end of a … to the start of the …",
    "samples",
    ...[least, most].flatMap((size) => [`p50 ${at(size)}, ms`, `p95 ${at(size)}, ms`]),
    "p50 ratio",
    "goal",
    "verdict",
    "slope of p50, ms in 1,000 tasks",
  ];
  const how =
    `By the times of the log, ${rounds} alternating rounds of ${queued} queued tasks of stages of ${shape.join(", ")} jobs; ` +
    `histories of ${sizes.join(", ")} tasks with all of their records. Without the latencies of AWS.`;
  printTable("From an end to the next start", how, header, rows);
}
