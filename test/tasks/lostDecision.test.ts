import { afterAll, beforeAll, expect, test } from "vitest";
import { table } from "../../shared/base/store/table.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { changeJob, changeStage } from "../../shared/workflows/records/records.ts";
import { decided } from "../../shared/workflows/records/rules/approval.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { newPerson, type Person } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let approver: Person;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  approver = await newPerson("ann");
});

afterAll(() => slipway.close());

const native = (needed_approvers: number, approve_users: object[] = []) => ({ needed_approvers, approve_users });
const said = { approve: true, comment: "", at: 1 };

async function wholeTask(workflow: string) {
  const whole = await findWholeTask((await findTaskOwner(workflow))?.id ?? "", 1);
  if (whole === undefined) throw new Error("the task is not there");
  return whole;
}

test("a decision about a job whose teller died is found by the reconciler", async () => {
  const spec = { type: "native", native_approval: native(1, [{ user_id: approver.uid }]) };
  await makeWorkflow("shop", {
    name: "job",
    stages: [{ name: "only", jobs: [{ name: "ask", type: "approval", spec }] }],
  });
  const id = await tasks.started("job", ["ask"]);
  await tasks.until("job", id, "waiting", ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval");
  const { task, jobs } = await wholeTask("job");
  const [job] = jobs;
  if (job?.approval === undefined) throw new Error("there is no approval");
  const approval = decided(job.approval, { uid: approver.uid, name: "ann" }, said);
  if (typeof approval === "string") throw new Error(approval);
  await table().write(changeJob(task, job, { set: { approval } }));
  await indexesShowAll();
  await slipway.runtime.reconcile();
  expect((await tasks.end("job", id)).status).toBe("passed");
});

test("a decision about a stage whose teller died is found by the reconciler", async () => {
  const approval = { enabled: true, type: "native", native_approval: native(1, [{ user_id: approver.uid }]) };
  await makeWorkflow("shop", { name: "stage", stages: [{ name: "only", approval, jobs: [gate("gate")] }] });
  const id = await tasks.started("stage", ["gate"]);
  await tasks.until("stage", id, "waiting", ({ stages }) => stages[0]?.status === "wait_for_approval");
  const { task, stages } = await wholeTask("stage");
  const [stage] = stages;
  if (stage?.approval === undefined) throw new Error("there is no approval");
  const after = decided(stage.approval, { uid: approver.uid, name: "ann" }, said);
  if (typeof after === "string") throw new Error(after);
  await table().write(changeStage(task, stage, { approval: after }));
  await indexesShowAll();
  await slipway.runtime.reconcile();
  expect((await tasks.end("stage", id)).status).toBe("passed");
});
