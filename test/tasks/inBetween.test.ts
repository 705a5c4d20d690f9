import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import type { Write } from "../../shared/base/store/writes.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findTaskOwner, type TaskHead } from "../../shared/workflows/records/taskHeads.ts";
import { startJobRun } from "../../shared/workflows/tasks/jobSteps.ts";
import { newPerson } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const endings = ["passed", "failed", "cancelled"];
const failing = { name: "only", type: "freestyle", spec: { script: "true", script_type: "powershell" } };
const asked = { enabled: true, manual_exec_users: [] };
const approval = {
  enabled: true,
  type: "native",
  native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] },
};

/** Runs `work` before the write of that number (from 1) to an item of the task; all others pass. @returns how to stop */
function before(number: number, pk: string, work: () => Promise<void>): () => void {
  const store = table();
  const write = store.writeOnce.bind(store);
  let count = 0;
  const isOfTask = (one: Write) => one.kind !== "check" && (one.kind === "put" ? one.item : one.key).pk === pk;
  store.writeOnce = async (...writes) => {
    if (writes.some(isOfTask) && ++count === number) await work();
    return write(...writes);
  };
  return () => {
    store.writeOnce = write;
  };
}

const isOver = ({ status, end_time }: ShownTask) => endings.includes(status) && end_time !== undefined;
/** Nothing happens any more until somebody does something. */
const isQuiet = (task: ShownTask) =>
  isOver(task) || task.status === "pause" || task.stages.some(({ status }) => status === "wait_for_approval");

test.each([
  ["pauses", { manual_exec: asked, jobs: [gate("only")] }],
  ["fails", { jobs: [failing] }],
  ["passes", { jobs: [gate("only")] }],
  ["waits", { approval, jobs: [gate("only")] }],
])("a retried task that %s is cancelled before any of its writes", async (what, stage) => {
  const behind = { name: "behind", manual_exec: asked, jobs: [gate("last")] };
  await makeWorkflow("shop", { name: what, stages: [{ name: "first", ...stage }, behind], concurrency_limit: 1 });
  const id = await tasks.started(what, ["only", "last"]);
  const { pk } = keys.task((await findTaskOwner(what))?.id ?? "", id);
  await tasks.until(what, id, "quiet", isQuiet);
  let cancelled = 0;
  // The first write is the retry itself: before it the task is over, and a cancel changes nothing.
  for (let number = 2, status = "running"; status !== ""; number++) {
    await tasks.cancel(what, id);
    await tasks.end(what, id);
    await waitFor("its slot to be free", async () => {
      return (await table().get<TaskHead>(keys.taskHead(what)))?.running === 0;
    });
    status = "";
    let answer = 0;
    const stop = before(number, pk, async () => {
      ({ status } = await tasks.read(what, id));
      answer = (await tasks.cancel(what, id)).status;
    });
    expect((await tasks.retry(what, id)).status).toBe(200);
    // Where the write was a late one of the run before, nothing of this one was cancelled.
    const isCancelled = () => answer === 200 && !endings.includes(status);
    const isDone = (task: ShownTask) => (isCancelled() ? isOver(task) : isQuiet(task));
    await tasks.until(what, id, "quiet or cancelled", isDone).catch((error: Error) => {
      throw new Error(`write ${number} of a task that was "${status}", cancelled with ${answer}: ${error.message}`);
    });
    stop();
    expect([0, 200]).toContain(answer);
    if (!isCancelled()) continue;
    const { status: after, task_revoker } = await tasks.read(what, id);
    expect([number, after, task_revoker]).toEqual([number, "cancelled", "admin"]);
    cancelled++;
  }
  expect(cancelled).toBeGreaterThan(1);
});

test("an approval of a stage counts, before whatever write it comes", async () => {
  const ann = await newPerson("ann");
  const native_approval = { needed_approvers: 1, approve_users: [{ user_id: ann.uid }] };
  const stage = { name: "ship", approval: { ...approval, native_approval }, jobs: [gate("only")] };
  await makeWorkflow("shop", { name: "approved", stages: [stage] });
  const { id: ownerId } = (await findTaskOwner("approved")) ?? { id: "" };
  const accepted: string[] = [];
  for (let number = 1, tried = true; tried; number++) {
    const id = 1 + ((await table().get<TaskHead>(keys.taskHead("approved")))?.last ?? 0);
    const approve = async (when: string) => {
      const { status } = await tasks.approve("approved", id, "ship", true, ann.token);
      if (status === 200) accepted.push(`${id} ${when}`);
    };
    tried = false;
    let isOver = true;
    const stop = before(number, keys.task(ownerId, id).pk, async () => {
      tried = true;
      isOver = false;
      await approve("in between");
      isOver = true;
    });
    expect(await tasks.started("approved", ["only"])).toBe(id);
    // The last write of the engine before an approval is the one of the token.
    await waitFor("the state machine to wait", async () => {
      return tried ? isOver : (await findWholeTask(ownerId, id))?.stages[0]?.taskToken !== undefined;
    });
    await waitFor("the approval", async () => {
      if (!accepted.some((one) => one.startsWith(`${id} `))) await approve("afterwards");
      return accepted.some((one) => one.startsWith(`${id} `));
    });
    expect([number, (await tasks.end("approved", id)).status]).toEqual([number, "passed"]);
    stop();
  }
  expect(accepted.filter((one) => one.endsWith("in between"))).not.toEqual([]);
});

test("an approval of a job counts, before whatever write of its beginning that is repeated", async () => {
  const bob = await newPerson("bob");
  const eve = await newPerson("eve");
  const native_approval = { needed_approvers: 2, approve_users: [{ user_id: bob.uid }, { user_id: eve.uid }] };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  await makeWorkflow("shop", { name: "asking", stages: [{ name: "only", jobs: [ask] }] });
  const { id: ownerId } = (await findTaskOwner("asking")) ?? { id: "" };
  let repeated = 0;
  for (let number = 1, tried = true; tried; number++) {
    tried = false;
    const taskId = await tasks.started("asking", ["ask"]);
    await tasks.until("asking", taskId, "asking", ({ stages }) => {
      return stages[0]?.jobs[0]?.status === "wait_for_approval";
    });
    const job = (await findWholeTask(ownerId, taskId))?.jobs[0];
    const stop = before(number, keys.task(ownerId, taskId).pk, async () => {
      tried = true;
      expect((await tasks.approve("asking", taskId, "ask", true, bob.token)).status).toBe(200);
    });
    // As after a crash of the function: with the same input.
    await startJobRun({ ownerId, taskId, job: job?.name ?? "", taskToken: job?.taskToken ?? "" });
    stop();
    if (tried) repeated++;
    else await tasks.approve("asking", taskId, "ask", true, bob.token);
    expect((await tasks.approve("asking", taskId, "ask", true, eve.token)).status).toBe(200);
    expect([number, (await tasks.end("asking", taskId)).status]).toEqual([number, "passed"]);
  }
  expect(repeated).toBeGreaterThan(1);
});
