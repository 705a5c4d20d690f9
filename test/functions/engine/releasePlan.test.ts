import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler as machine } from "../../../functions/engine/release-plan/handler.ts";
import { handler as reconcile } from "../../../functions/triggers/reconciler/handler.ts";
import { executionStatus } from "../../../shared/base/aws/states/stateMachines.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { table } from "../../../shared/base/store/table.ts";
import { changePlan } from "../../../shared/releaseplans/changePlan.ts";
import { findPlansWithEffects } from "../../../shared/releaseplans/records/pendingEffects.ts";
import { findPlan, planWrites } from "../../../shared/releaseplans/records/plans.ts";
import { findPlanWaits } from "../../../shared/releaseplans/records/planWaits.ts";
import { changeStatus } from "../../../shared/releaseplans/rules/changeStatus.ts";
import { systemActor } from "../../../shared/releaseplans/rules/plan.ts";
import { stepFrom } from "../../../shared/releaseplans/rules/step.ts";
import { runDueTransition } from "../../../shared/releaseplans/runDueTransition.ts";
import { startJobs } from "../../../shared/releaseplans/startJobs.ts";
import { givenPlans, type ReleasePlans, type ShownPlan, textJob, workflowJob } from "../../harness/releasePlans.ts";
import { gate } from "../../harness/tasks.ts";
import { waitFor } from "../../harness/waitFor.ts";

let plans: ReleasePlans;

beforeAll(async () => {
  plans = await givenPlans();
});
afterAll(() => plans.slipway.close());

const executing = ["finish_planning", "executing"] as const;

async function planAt(jobs: readonly object[], more: object, ...statuses: string[]): Promise<ShownPlan> {
  const id = await plans.make();
  await plans.replace(id, { jobs, ...more });
  return plans.move(id, ...statuses);
}

function until(id: string, what: string, seen: (plan: ShownPlan) => boolean): Promise<ShownPlan> {
  return waitFor(`plan ${id} to be ${what}`, async () => {
    const plan = await plans.read(id);
    return seen(plan) && plan;
  });
}

async function details(id: string): Promise<string[]> {
  const log = await plans.ok<{ list: { detail: string; username: string }[] }>(
    "GET",
    `/openapi/release_plan/v1/${id}/logs`,
  );
  return log.list.map(({ username, detail }) => `${username}: ${detail}`).reverse();
}

/** States that the machine of a round entered, once it has ended. */
async function statesOf(planId: string, round: number): Promise<string[]> {
  const machine = config().SLIPWAY_RELEASE_PLAN_ARN;
  const name = `${planId}-${round}`;
  await waitFor(`the machine ${name} to end`, async () => (await executionStatus(machine, name)) === "SUCCEEDED");
  const events = plans.slipway.runtime.aws.engine.history(machine, name);
  return events.flatMap(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name ?? []);
}

test("a scheduled plan starts its workflows at its time, not before it, as the system, and its round takes six transitions", async () => {
  const at = nowSeconds() + 3;
  const { id } = await planAt([workflowJob("ship")], { schedule_execute_time: at }, ...executing);
  const over = await until(id, "a success", ({ status }) => status === "success");
  expect(over.jobs[0]).toMatchObject({ status: "done", executed_by: "System" });
  expect(over.jobs[0]?.executed_time).toBeGreaterThanOrEqual(at);
  expect(await details(id)).toContain("System: the scheduled time has come");
  expect(await statesOf(id, 1)).toEqual(["AwaitStart", "Started", "Arm", "AwaitEnd", "Ended", "Conclude"]);
});

test("a schedule that was missed by more than 30 seconds is not run, and the log says so", async () => {
  const at = nowSeconds() - 60;
  // It was set before its time.
  vi.useFakeTimers({ toFake: ["Date"], now: (at - 10) * 1000 });
  const { id } = await planAt([workflowJob("ship")], { schedule_execute_time: at }, ...executing).finally(() =>
    vi.useRealTimers(),
  );
  await runDueTransition(id, { what: "schedule", at });
  const missed = await waitFor("an entry", async () =>
    (await details(id)).find((one) => one.includes("was missed by")),
  );
  expect(missed).toContain("execute the jobs by hand");
  expect(await plans.read(id)).toMatchObject({ status: "executing", jobs: [{ status: "todo" }] });
});

test("a schedule is not run before its time when the clock is put back an hour while it is awaited", async () => {
  const at = nowSeconds() + 1000;
  const { id } = await planAt([workflowJob("ship")], { schedule_execute_time: at }, ...executing);
  vi.useFakeTimers({ toFake: ["Date"], now: at * 1000 - 500 });
  try {
    const come = runDueTransition(id, { what: "schedule", at });
    vi.setSystemTime((at - 3600) * 1000);
    await come;
    expect(await findPlan(id)).toMatchObject({ scheduleRunTime: 0, jobs: [{ status: "todo" }] });
    vi.setSystemTime(at * 1000);
    await runDueTransition(id, { what: "schedule", at });
    expect(await findPlan(id)).toMatchObject({ scheduleRunTime: at });
  } finally {
    vi.useRealTimers();
  }
});

test("the end of the window ends the execution, and tells who looks why", async () => {
  const end_time = nowSeconds() + 2;
  const { id } = await planAt([textJob("tell")], { start_time: 1, end_time }, ...executing);
  await until(id, "timed out", ({ status }) => status === "timeout");
  expect(nowSeconds()).toBeGreaterThan(end_time);
  expect(await details(id)).toContain("System: the release window has ended");
  expect((await statesOf(id, 1)).at(-1)).toBe("Conclude");
});

test("with auto_execute jobs start by themselves in the order of what they depend on, as who moved the plan", async () => {
  const jobs = [
    { ...workflowJob("ship"), name: "second", depends_on: ["first"] },
    { ...workflowJob("ship"), name: "first" },
  ];
  const { id } = await planAt(jobs, { settings: { auto_execute: true } }, ...executing);
  const over = await until(id, "a success", ({ status }) => status === "success");
  expect(over.jobs.map(({ status, executed_by }) => [status, executed_by])).toEqual([
    ["done", "lee"],
    ["done", "lee"],
  ]);
  const started = (await details(id)).filter((one) => one.includes("started"));
  const [second, first] = over.jobs.map(({ spec }) => Number(spec.task_id));
  expect(first).toBeLessThan(second ?? 0);
  expect(started.filter((one) => one.includes("task"))).toHaveLength(2);
});

test("several who start the jobs of a plan at once start each of them once, and stop nothing", async () => {
  const jobs = ["one", "two", "three"].map((name) => ({ ...workflowJob("ship"), name }));
  const { id } = await planAt(jobs, {}, ...executing);
  await changePlan(id, (plan) => ({ ...stepFrom(plan), plan: { ...plan, starting: systemActor } }));
  await Promise.all([startJobs(id), startJobs(id), startJobs(id)]);
  await until(id, "a success", ({ status }) => status === "success");
  const said = await details(id);
  expect(said.filter((one) => /^System: task \d+ started$/.test(one))).toHaveLength(3);
  expect(said.filter((one) => one.includes("could not be started"))).toEqual([]);
});

test("a job that cannot be started stops what starts by itself, with the reason in the log", async () => {
  await plans.ok("POST", "/openapi/workflows/custom", {
    ...{ name: "brief", project: "shop", stages: [{ name: "one", jobs: [gate("gate")] }] },
  });
  const settings = { auto_execute: true };
  const { id } = await planAt([workflowJob("brief"), workflowJob("ship")], { settings }, "finish_planning");
  await plans.ok("DELETE", "/openapi/workflows/custom?workflowKey=brief&projectKey=shop");
  await plans.move(id, "executing");
  const why = await waitFor("an entry", async () => (await details(id)).find((one) => one.includes("could not be")));
  expect(why).toContain("System: could not be started: job brief: workflow brief was deleted");
  expect((await plans.read(id)).jobs.map(({ status }) => status)).toEqual(["todo", "todo"]);
});

test("cancel and deletion end the machine of the round, also while it waits for its start", async () => {
  const waiting = await planAt([textJob("tell")], {}, "finish_planning");
  await plans.move(waiting.id, "planning");
  expect((await statesOf(waiting.id, 1)).at(-1)).toBe("Conclude");
  const gone = await planAt([textJob("tell")], {}, ...executing);
  await plans.ok("DELETE", `/openapi/release_plan/v1/${gone.id}`);
  expect((await statesOf(gone.id, 1)).at(-1)).toBe("Conclude");
});

test("a call of the machine that comes late, with a token that nobody waits on, takes no wait's place", async () => {
  const { id } = await planAt([textJob("tell")], {}, "finish_planning");
  const waits = (until: string) =>
    waitFor(`the machine to wait for the ${until}`, async () =>
      (await findPlanWaits(id)).find((wait) => wait.until === until),
    );
  const { taskToken } = await waits("start");
  await plans.move(id, "executing");
  await waits("end");
  await machine({ task: "awaitStart", planId: id, round: 1, taskToken });
  await plans.move(id, "cancel");
  expect((await statesOf(id, 1)).at(-1)).toBe("Conclude");
  expect(await findPlanWaits(id)).toEqual([]);
});

test("what a killed writer owed is done by the reconciler", async () => {
  const { id } = await planAt([textJob("tell")], {}, ...executing);
  const plan = await findPlan(id);
  if (plan === undefined) throw new Error("the plan is gone");
  // Written, and nobody told: as by a process that died behind its write.
  await table().write(...planWrites(plan, changeStatus(plan, "cancel", systemActor, "cancelled")));
  expect(await findPlansWithEffects()).toContain(id);
  await reconcile();
  expect((await statesOf(id, 1)).at(-1)).toBe("Conclude");
  await waitFor("nothing to be owed", async () => !(await findPlansWithEffects()).includes(id));
});
