import { setConcurrency } from "../../../shared/workflows/records/concurrency.ts";
import { makeWorkflow } from "../../harness/tasks.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { median, number, percentile, times } from "../figures.ts";
import { judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { type Bench, project, statusesWhenOver } from "./benchedWorkflow.ts";
import { PollingDispatcher } from "./pollingDispatcher.ts";
import { loggedStatuses, timeOf } from "./statusLog.ts";

const seconds = 3;
const queued = quick ? 3 : 8;
const rounds = quick ? 1 : 3;
const workflow = "held";
const installation = { workflowConcurrency: 50, buildConcurrency: 10 };

/** The end of a task to the start of the queued next one, by events and by a poll of the same table. */
export async function benchQueue(bench: Bench): Promise<void> {
  const { json } = await bench.slipway.call<{ users: { uid: string }[] }>("GET", "/openapi/users");
  const approve_users = json.users.map(({ uid }) => ({ user_id: uid }));
  const hold = {
    name: "hold",
    type: "approval",
    spec: { type: "native", native_approval: { needed_approvers: 1, approve_users } },
  };
  await makeWorkflow(project, { name: workflow, stages: [{ name: "hold", jobs: [hold] }], concurrency_limit: 1 });
  const gaps = { events: [] as number[], polled: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    progress(`queued tasks, round ${round + 1} of ${rounds}`);
    gaps.events.push(...(await runQueue(bench)));
    // Nothing dispatches by itself while the installation lets nothing run; the poll has a limit of its own.
    await setConcurrency({ ...installation, workflowConcurrency: 0 });
    const poll = new PollingDispatcher(seconds * 1000);
    try {
      gaps.polled.push(...(await runQueue(bench)));
    } finally {
      await poll.stop();
      await setConcurrency(installation);
    }
  }
  const row = (name: string, of: readonly number[]): string[] => [
    name,
    String(of.length),
    number(median(of)),
    number(percentile(of, 0.95)),
    times(median(of) / median(gaps.events)),
    ...judged(undefined),
  ];
  const header = ["the next one is started by", "samples", "p50, ms", "p95, ms", "p50 ÷ ours", "goal", "verdict"];
  const how =
    `From the end of a task to the start of the queued next one of its workflow, which runs one at a time. Tasks end at ` +
    `random moments of ${seconds} s. The poll looks every ${seconds} s and starts at most one task, as contract W 8.4 ` +
    "describes the reference; it ran on the same table, in turn with ours.";
  printTable("Starting queued tasks: events against a poll", how, header, [
    row("the end of the one before", gaps.events),
    row(`a poll every ${seconds} s`, gaps.polled),
  ]);
}

/** Ends each of the queued tasks at a random moment. @returns milliseconds from each end to the next start */
async function runQueue({ tasks }: Bench): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < queued; at++) ids.push(await tasks.started(workflow, []));
  for (const taskId of ids) {
    await waitFor(`task ${taskId} to wait`, async () =>
      loggedStatuses(workflow).some((one) => one.taskId === taskId && one.to === "wait_for_approval"),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * seconds * 1000));
    const answer = await tasks.approve(workflow, taskId, "hold", true);
    if (answer.status !== 200) throw new Error(answer.text);
  }
  const statuses = await statusesWhenOver(workflow, ids);
  return ids.slice(1).map((taskId) => {
    const startedAt = timeOf(statuses, { taskId, job: "", to: "running" });
    return startedAt - timeOf(statuses, { taskId: taskId - 1, job: "", to: "passed" });
  });
}
