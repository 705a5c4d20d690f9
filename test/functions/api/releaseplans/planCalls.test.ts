import ICAL from "ical.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { findPendingEffects, pendingEffectsOfEnd } from "../../../../shared/releaseplans/records/pendingEffects.ts";
import { requirePlan } from "../../../../shared/releaseplans/records/plans.ts";
import { findTaskOwner } from "../../../../shared/workflows/records/taskHeads.ts";
import { concludeTask } from "../../../../shared/workflows/tasks/end/concludeTask.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import {
  approvalBy,
  givenPlans,
  planBody,
  type ReleasePlans,
  type ShownPlan,
  textJob,
  workflowJob,
} from "../../../harness/releasePlans.ts";
import { gate } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let plans: ReleasePlans;
let lee: Person;
let kim: Person;

beforeAll(async () => {
  plans = await givenPlans();
  lee = plans.lee;
  kim = await newPerson("kim");
});
afterAll(() => plans.slipway.close());

const path = "/openapi/release_plan/v1";
const consolePath = "/api/aslan/release_plan/v1";

/** A plan with these jobs, moved by its manager to the last of the statuses. */
async function planAt(jobs: readonly object[], more: object, ...statuses: string[]): Promise<ShownPlan> {
  const id = await plans.make();
  await plans.replace(id, { jobs, ...more });
  return plans.move(id, ...statuses);
}

const call = (id: string, verb: string, body?: object, token = lee.token) =>
  plans.slipway.call<{ description: string; code: number }>("POST", `${path}/${id}/${verb}`, {
    token,
    ...(body && { body }),
  });
const act = (plan: ShownPlan, verb: string, at = 0, more: object = {}, token = lee.token) => {
  const { id, name, type } = plan.jobs[at] ?? { id: "", name: "", type: "" };
  return call(plan.id, verb, { id, name, type, spec: {}, ...more }, token);
};
const until = (id: string, what: string, seen: (plan: ShownPlan) => boolean) =>
  waitFor(`plan ${id} to be ${what}`, async () => {
    const plan = await plans.read(id);
    return seen(plan) && plan;
  });
const details = async (id: string) => {
  const log = await plans.ok<{ list: { detail: string; username: string }[] }>("GET", `${path}/${id}/logs`);
  return log.list.map(({ username, detail }) => `${username}: ${detail}`).reverse();
};
const executing = ["finish_planning", "executing"] as const;

describe("a plan without an approval", () => {
  test("runs to its end by the calls of its manager: a text job is done, a workflow starts as who executes it", async () => {
    const plan = await planAt([textJob("tell"), workflowJob("ship", { remark: "R-17" })], {}, ...executing);
    expect(plan).toMatchObject({ status: "executing", jobs: [{ status: "todo" }, { status: "todo" }] });
    expect(plan.planning_time).toBeGreaterThan(0);
    const told = await act(plan, "execute", 0, { spec: { remark: "done at ten" } });
    expect(told.status, told.text).toBe(200);
    const started = await act(plan, "execute", 1);
    expect(started.status, started.text).toBe(200);
    const over = await until(plan.id, "a success", ({ status }) => status === "success");
    expect(over).toMatchObject({
      success_time: expect.any(Number),
      jobs: [
        { status: "done", executed_by: "lee", spec: { remark: "done at ten" } },
        { status: "done", executed_by: "lee", spec: { status: "passed", task_id: expect.any(Number) } },
      ],
    });
    const task = await plans.tasks.read("ship", Number(over.jobs[1]?.spec.task_id));
    expect(task).toMatchObject({
      ...{ task_creator: "lee", remark: "R-17", release_plan: { id: plan.id, name: "plan", index: plan.index } },
    });
    expect(await details(plan.id)).toEqual([
      ...["admin: created", "admin: replaced", "lee: planning finished", "lee: execution started", "lee: done"],
      ...[`lee: task ${task.task_id} started`, `System: task ${task.task_id} ended passed`],
      "System: all jobs are over",
    ]);
  });

  test("runs the definition that planning ended with, whatever becomes of the workflow", async () => {
    const definition = (jobs: string[]) => ({
      ...{ name: "kept", project: "shop" },
      stages: [{ name: "one", jobs: jobs.map(gate) }],
    });
    await plans.ok("POST", "/openapi/workflows/custom", definition(["gate"]));
    const plan = await planAt([workflowJob("kept")], {}, ...executing);
    await plans.ok("PUT", "/openapi/workflows/custom/kept", definition(["gate", "another"]));
    expect((await act(plan, "execute")).status).toBe(200);
    const over = await until(plan.id, "a success", ({ status }) => status === "success");
    const task = await plans.tasks.read("kept", Number(over.jobs[0]?.spec.task_id));
    expect(task.stages.flatMap(({ jobs }) => jobs.map(({ origin_name }) => origin_name))).toEqual(["gate"]);
  });

  test("is finished only as its workflows are then: a parameter that has gone is named", async () => {
    const definition = (params: object[]) => ({
      ...{ name: "shrinks", project: "shop", params },
      stages: [{ name: "one", jobs: [gate("gate")] }],
    });
    await plans.ok("POST", "/openapi/workflows/custom", definition([{ name: "mode", type: "string", value: "" }]));
    const parameters = [{ name: "mode", value: "full" }];
    const plan = await planAt([workflowJob("shrinks", { parameters })], {});
    await plans.ok("PUT", "/openapi/workflows/custom/shrinks", definition([]));
    const refused = await call(plan.id, "status/finish_planning");
    expect(refused.json).toMatchObject({ code: 6545, description: "job shrinks: param mode not found in workflow" });
    expect((await plans.read(plan.id)).status).toBe("planning");
    await plans.ok("DELETE", "/openapi/workflows/custom?projectKey=shop&workflowKey=shrinks");
    expect((await call(plan.id, "status/finish_planning")).json.code).toBe(6542);
  });

  test("is refused what its table does not have, and to others than its manager", async () => {
    const plan = await planAt([], {});
    expect((await call(plan.id, "status/finish_planning")).json.description).toContain("plan must not have no jobs");
    expect((await call(plan.id, "status/success")).json.description).toContain(
      "can't convert plan status planning to success",
    );
    expect((await call(plan.id, "status/nowhere")).json.description).toContain("path status: must be one of planning");
    const refused = await call(plan.id, "status/finish_planning", undefined, kim.token);
    expect([refused.status, refused.json.description]).toEqual([403, "user kim is not the manager of the plan plan"]);
    expect((await call("f".repeat(24), "status/planning")).status).toBe(404);
  });

  test("takes calls about its own jobs, by their types, in their time", async () => {
    const window = { start_time: nowSeconds() + 3600, end_time: nowSeconds() + 7200 };
    const early = await planAt([textJob("tell")], window, ...executing);
    expect((await act(early, "execute")).json.description).toContain("plan is not in the release time range");
    const past = { start_time: 5, end_time: 9 };
    const late = await planAt([textJob("tell")], past, ...executing);
    await until(late.id, "timed out", ({ status }) => status === "timeout");
    expect((await act(late, "execute")).json.description).toContain("plan status is timeout, can not execute");
    const plan = await planAt([{ ...textJob("b"), depends_on: ["a"] }, textJob("a")], {}, ...executing);
    expect((await act(plan, "execute")).json.description).toBe("job b waits for a, which must be done or skipped");
    expect((await act(plan, "execute", 0, { type: "workflow" })).json.description).toContain(
      "type: job b is of type text",
    );
    expect((await act(plan, "execute", 0, { id: late.jobs[0]?.id })).json.description).toContain("is not in the plan");
    expect((await act(plan, "skip", 1, {}, kim.token)).status).toBe(403);
    expect((await act(plan, "skip", 1)).status).toBe(200);
    expect((await act(plan, "execute")).status).toBe(200);
    expect((await plans.read(plan.id)).status).toBe("success");
  });
});

describe("an approval", () => {
  const waiting = async (more: object = {}) => {
    const approval = { ...approvalBy(lee.uid, kim.uid), ...more };
    return planAt([textJob("tell")], { approval }, "finish_planning", "wait_for_approval");
  };
  const decide = (id: string, approve: boolean, token: string) =>
    call(id, "approve", { approve, comment: "ok" }, token);

  test("begins the execution with the last that is needed, and shows who said what", async () => {
    const plan = await waiting();
    expect((await call(plan.id, "status/executing")).json.description).toContain(
      "approval status is not decided, can not execute",
    );
    expect((await decide(plan.id, true, lee.token)).status).toBe(200);
    expect((await decide(plan.id, true, lee.token)).json.description).toBe("lee have approve already");
    const stranger = await newPerson(`stranger-${plan.index}`);
    expect((await decide(plan.id, true, stranger.token)).status).toBe(403);
    expect((await plans.read(plan.id)).status).toBe("wait_for_approval");
    expect((await decide(plan.id, true, kim.token)).status).toBe(200);
    const approved = await plans.read(plan.id);
    expect(approved).toMatchObject({ status: "executing", approval: { status: "passed" }, jobs: [{ status: "todo" }] });
    expect(approved.approval?.native_approval).toMatchObject({
      reject_or_approve: "approve",
      approve_users: [{ user_id: lee.uid, reject_or_approve: "approve", comment: "ok" }, { user_id: kim.uid }],
    });
  });

  test("is void after any change of content: planning begins again without it", async () => {
    const plan = await waiting();
    await decide(plan.id, true, lee.token);
    await decide(plan.id, true, kim.token);
    await plans.move(plan.id, "planning", "finish_planning");
    const refused = await call(plan.id, "status/executing");
    expect(refused.json.description).toContain("approval status is not decided, can not execute");
  });

  test("denies with the first rejection; a full replacement makes a draft of it", async () => {
    const plan = await waiting();
    const busy = await plans.refused("PATCH", `${path}/${plan.id}`, planBody());
    expect(busy.json.description).toContain(
      "release plan status is success, executing or wait for approve, can't update",
    );
    expect((await decide(plan.id, false, kim.token)).status).toBe(200);
    expect((await plans.read(plan.id)).status).toBe("denied");
    await plans.replace(plan.id, {});
    expect((await plans.read(plan.id)).status).toBe("planning");
  });

  test("by groups is by who is in them when it begins", async () => {
    const { group_id: id } = await plans.ok<{ group_id: string }>("POST", "/api/v1/user-group", { name: "board" });
    await plans.ok("POST", `/api/v1/user-group/${id}/bulk-create-users`, { uids: [kim.uid] });
    const approve_users = [{ type: "group", group_id: id, group_name: "board" }];
    const approval = { enabled: true, type: "native", native_approval: { needed_approvers: 1, approve_users } };
    const plan = await planAt([textJob("tell")], { approval }, "finish_planning");
    const shown = await plans.ok<ShownPlan>("GET", `${consolePath}/${plan.id}`);
    expect(shown.approval?.native_approval.flat_approve_users).toMatchObject([{ user_id: kim.uid }]);
    await plans.ok("POST", `/api/v1/user-group/${id}/bulk-delete-users`, { uids: [kim.uid] });
    const refused = await call(plan.id, "status/wait_for_approval");
    expect(refused.json.description).toContain("1 must approve and 0 are left who may");
  });

  test("may be barred to who asks for it", async () => {
    const approval = { ...approvalBy(lee.uid), forbid_self_approval: true };
    const plan = await planAt([textJob("tell")], { approval }, "finish_planning");
    const refused = await call(plan.id, "status/wait_for_approval");
    expect(refused.json.description).toContain("1 of those who are named asked for it or edited the plan");
  });
});

describe("tasks of a plan", () => {
  const running = async (workflow = "held") => {
    const plan = await planAt([workflowJob(workflow)], {}, ...executing);
    expect((await act(plan, "execute")).status).toBe(200);
    return { plan, taskId: Number((await plans.read(plan.id)).jobs[0]?.spec.task_id) };
  };
  const gone = (taskId: number) => plans.tasks.end("held", taskId);

  test("that fail, fail the job and not the plan, and are run again under their numbers", async () => {
    const { plan, taskId } = await running();
    expect((await plans.read(plan.id)).jobs[0]).toMatchObject({ status: "running", spec: { status: "prepare" } });
    expect((await act(plan, "execute")).json.description).toBe("job held status running can't execute");
    await plans.tasks.until(
      "held",
      taskId,
      "waiting",
      ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval",
    );
    await plans.tasks.approve("held", taskId, "one", false, lee.token);
    const over = await until(plan.id, "a success", ({ status }) => status === "success");
    expect(over.jobs[0]).toMatchObject({ status: "failed", spec: { status: "reject" } });
    await plans.tasks.end("held", taskId);
    const retried = await waitFor("the task to be ready", async () => {
      const answer = await act(plan, "retry");
      return answer.status === 200 && answer;
    });
    expect(retried.status).toBe(200);
    expect(await plans.read(plan.id)).toMatchObject({
      ...{ status: "executing", success_time: 0, jobs: [{ status: "running", spec: { task_id: taskId } }] },
    });
    await plans.tasks.until(
      "held",
      taskId,
      "waiting",
      ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval",
    );
    await plans.tasks.approve("held", taskId, "one", true, lee.token);
    const passed = await until(plan.id, "a success", ({ status }) => status === "success");
    expect(passed.jobs[0]).toMatchObject({ status: "done", spec: { status: "passed", task_id: taskId } });
  });

  test.each([
    ["a cancel", async (id: string) => void (await plans.move(id, "cancel"))],
    ["planning again", async (id: string) => void (await plans.move(id, "planning"))],
    ["a deletion", async (id: string) => void (await plans.ok("DELETE", `${path}/${id}`))],
  ])("do not outlive %s", async (_, leave) => {
    const { plan, taskId } = await running();
    await leave(plan.id);
    expect((await gone(taskId)).status).toBe("cancelled");
  });

  test("that a process which died left behind are cancelled by the reconciler", async () => {
    const { plan, taskId } = await running();
    const owner = await findTaskOwner("held");
    const tasks = [{ ownerId: owner?.id ?? "", taskId }];
    const stored = await requirePlan(plan.id);
    await table().write(pendingEffectsOfEnd(stored, tasks));
    await reconcile();
    expect((await gone(taskId)).status).toBe("cancelled");
    await waitFor("nothing to be owed", async () => (await findPendingEffects(plan.id)).length === 0);
  });

  test("whose end is told again change nothing", async () => {
    const { plan, taskId } = await running("ship");
    const over = await until(plan.id, "a success", ({ status }) => status === "success");
    const owner = await findTaskOwner("ship");
    await concludeTask({ ownerId: owner?.id ?? "", taskId, attempt: 1 });
    expect(await plans.read(plan.id)).toEqual(over);
  });
});

test("the calendar has plans that ran, windows and freezes; the statistics count what succeeded", async () => {
  const day = 24 * 3600;
  const now = nowSeconds();
  const window = { start_time: now - day, end_time: now + day };
  const plan = await planAt([textJob("tell")], window, ...executing);
  await act(plan, "execute");
  const freeze = { name: "Books", reason: "closing", start_time: now + day, end_time: now + 2 * day };
  await plans.ok("POST", `${path}/freezes`, freeze);
  const { items } = await plans.ok<{ items: object[] }>(
    "GET",
    `${path}/calendar?from=${now - day}&to=${now + day + 1}`,
  );
  const ran = { kind: "plan", id: plan.id, name: "plan", start: expect.any(Number), end: expect.any(Number) };
  expect(items).toContainEqual({ ...ran, status: "success" });
  expect(items).toContainEqual({ ...ran, kind: "window", start: now - day, end: now + day, status: "success" });
  expect(items).toContainEqual(expect.objectContaining({ kind: "freeze", name: "Books", start: now + day }));
  const long = await plans.refused("GET", `${consolePath}/calendar?from=1&to=${400 * day}`);
  expect(long.json.description).toBe("query to: must be later than from, by 366 days at most");
  const months = await plans.ok<{ count: number; average_duration: number }[]>(
    "GET",
    `${path}/statistics?start_time=${now - day}&end_time=${now + day}`,
  );
  expect(months.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(0);
});

test("the calendar is read by a program that subscribes to it, whose token stands in the address", async () => {
  const day = 24 * 3600;
  const now = nowSeconds();
  const rights = [{ namespace: "*", roles: { planner: ["get_release_plan"] } }];
  const reader = await newPerson("reader", rights);
  const name = "May, part 2; the name of a plan that is too long for one line: grüße, 日本語, 🚀🚀🚀🚀";
  const window = { name, start_time: now, end_time: now + day };
  const plan = await planAt([textJob("tell")], window, ...executing);
  await plans.ok("POST", `${path}/freezes`, { name: "Quiet", reason: "r", start_time: now + 1, end_time: now + day });
  const subscribed = async (address: string) => {
    const answer = await plans.slipway.call("GET", address, { token: null });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
    const components = new ICAL.Component(ICAL.parse(answer.text)).getAllSubcomponents("vevent");
    return components.map((component) => new ICAL.Event(component));
  };
  const events = await subscribed(`${path}/calendar?format=ics&token=${reader.token}`);
  const [ran, open] = [`plan-${plan.id}@slipway`, `window-${plan.id}@slipway`].map((uid) =>
    events.find((event) => event.uid === uid),
  );
  expect([ran?.summary, open?.summary]).toEqual([name, `Window: ${name}`]);
  expect(ran?.startDate.toUnixTime()).toBe(plan.executing_time);
  expect([open?.startDate.toUnixTime(), open?.endDate.toUnixTime()]).toEqual([now, now + day]);
  const of = (property: string) => String(ran?.component.getFirstPropertyValue(property));
  expect([of("status"), of("url")]).toEqual([
    "CONFIRMED",
    expect.stringMatching(`releasePlan/detail\\?id=${plan.id}$`),
  ]);
  expect(events.map(({ summary }) => summary)).toContain("Freeze: Quiet");

  await plans.move(plan.id, "cancel");
  const range = `from=${now}&to=${now + day}&format=ics`;
  const again = await subscribed(`${consolePath}/calendar?${range}&token=${reader.token}`);
  const cancelled = again.find(({ uid }) => uid === ran?.uid);
  expect(String(cancelled?.component.getFirstPropertyValue("status"))).toBe("CANCELLED");

  // Nowhere else does a token in the address count, and nobody is let in by a wrong one or without the right.
  const status = async (address: string) =>
    (await plans.slipway.call("GET", `${path}/${address}`, { token: null })).status;
  expect(await status(`calendar?from=1&to=2&token=${reader.token}`)).toBe(401);
  expect(await status(`calendar?from=1&to=2&format=json&token=${reader.token}`)).toBe(401);
  expect(await status(`statistics?start_time=1&end_time=2&format=ics&token=${reader.token}`)).toBe(401);
  expect(await status("calendar?format=ics&token=none")).toBe(401);
  expect(await status("calendar?format=ics")).toBe(401);
  expect(await status(`calendar?format=ics&token=${kim.token}`)).toBe(403);
  expect(await status(`calendar?format=ics&from=2&to=1&token=${reader.token}`)).toBe(400);
  for (const [query, problem] of [
    ["format=pdf", "query format: must be json or ics"],
    ["format=json", "query from: from is required; query to: to is required"],
  ]) {
    const { json } = await plans.refused("GET", `${path}/calendar?${query}`);
    expect(json.description).toBe(problem);
  }
});

describe("of fifty calls at once", () => {
  const fifty = Array.from({ length: 50 }, (_, at) => at);

  test("that execute a job one starts a task, and the others are refused", async () => {
    const plan = await planAt([workflowJob("held")], {}, ...executing);
    const answers = await Promise.all(fifty.map(() => act(plan, "execute")));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 400, 409].includes(status))).toEqual([]);
    const log = await details(plan.id);
    expect(log.filter((detail) => detail.includes("started") && detail.includes("task"))).toHaveLength(1);
    await plans.move(plan.id, "cancel");
  });

  test("by two approvers each counts once, against cancels the plan ends in one of both", async () => {
    const approval = approvalBy(lee.uid, kim.uid);
    const plan = await planAt([textJob("tell")], { approval }, "finish_planning", "wait_for_approval");
    const said = { approve: true, comment: "" };
    const answers = await Promise.all(
      fifty.map((at) => call(plan.id, "approve", said, at % 2 === 0 ? lee.token : kim.token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await plans.read(plan.id)).status).toBe("executing");

    const other = await planAt(
      [textJob("tell")],
      { approval: approvalBy(kim.uid) },
      "finish_planning",
      "wait_for_approval",
    );
    const races = fifty.map((at) =>
      at % 2 === 0 ? call(other.id, "approve", said, kim.token) : call(other.id, "status/cancel"),
    );
    const statuses = (await Promise.all(races)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 400, 409].includes(status))).toEqual([]);
    expect((await plans.read(other.id)).status).toBe("cancel");
  });

  test("that execute its only job in the moment in which its window ends, either one does or the plan times out", async () => {
    const end_time = nowSeconds() + 2;
    const plan = await planAt([textJob("tell")], { start_time: 1, end_time }, ...executing);
    await waitFor("the end of the window", async () => Date.now() > (end_time + 1) * 1000 - 150);
    const statuses = (await Promise.all(fifty.map(() => act(plan, "execute")))).map(({ status }) => status);
    const over = await until(plan.id, "over", ({ status }) => status !== "executing");
    const done = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => ![200, 400, 409].includes(status))).toEqual([]);
    expect([
      { status: "success", job: "done", done: 1 },
      { status: "timeout", job: "todo", done: 0 },
    ]).toContainEqual({ status: over.status, job: over.jobs[0]?.status, done });
    const ends = ["System: all jobs are over", "System: the release window has ended"];
    expect((await details(plan.id)).filter((detail) => ends.includes(detail))).toHaveLength(1);
  });

  test("that replace and that finish planning, none is lost and nothing is half written", async () => {
    const plan = await planAt([textJob("tell")], {});
    const races = fifty.map((at) =>
      at % 2 === 0
        ? call(plan.id, "status/finish_planning")
        : plans.slipway.call("PATCH", `${path}/${plan.id}`, { body: planBody({ jobs: [textJob(`job-${at}`)] }) }),
    );
    const statuses = (await Promise.all(races)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 400, 409].includes(status))).toEqual([]);
    const after = await plans.read(plan.id);
    expect(["planning", "finish_planning"]).toContain(after.status);
    expect(after.version).toBe(2 + statuses.filter((status, at) => at % 2 === 1 && status === 200).length);
  });
});

describe("a rollback", () => {
  test("is refused with its reason, on both paths, and changes nothing", async () => {
    const none = { code: 400, description: "no task of the plan plan has deployed anything; cancel it instead" };
    const draft = await planAt([textJob("tell")], {}, "finish_planning");
    const refused = { code: 400, description: "plan status is finish_planning, can not roll back" };
    expect((await call(draft.id, "rollback")).json).toMatchObject(refused);
    const plan = await plans.move(draft.id, "executing");
    expect((await call(plan.id, "rollback")).json).toMatchObject(none);
    const mirrored = await plans.slipway.call("POST", `${consolePath}/${plan.id}/rollback`, { token: lee.token });
    expect(mirrored.json).toMatchObject(none);
    const forbidden = { code: 403, description: "user kim is not the manager of the plan plan" };
    expect((await call(plan.id, "rollback", undefined, kim.token)).json).toMatchObject(forbidden);
    expect((await call("none", "rollback")).json).toMatchObject({ code: 404 });
    expect(await plans.read(plan.id)).toMatchObject({ status: "executing", jobs: [{ type: "text", status: "todo" }] });
  });

  test("is no job that people write", async () => {
    const body = planBody({ jobs: [{ name: "back", type: "rollback", spec: {} }] });
    const id = await plans.make();
    const answer = await plans.slipway.call<{ description: string }>("PATCH", `${path}/${id}`, { body });
    expect([answer.status, answer.json.description]).toEqual([
      400,
      expect.stringContaining("must be text or workflow"),
    ]);
  });

  test("of a plan that deployed nothing ends it when a job fails and the settings say so", async () => {
    const plan = await planAt(
      [workflowJob("held"), textJob("tell")],
      { settings: { rollback_on_failure: true } },
      ...executing,
    );
    expect(plan.settings).toMatchObject({ rollback_on_failure: true });
    const started = await act(plan, "execute");
    expect(started.status, started.text).toBe(200);
    const running = await plans.read(plan.id);
    expect((await plans.tasks.cancel("held", Number(running.jobs[0]?.spec.task_id))).status).toBe(200);
    await waitFor("the rollback to be over", async () =>
      (await details(plan.id)).includes("System: the rollback is over: no task of the plan had deployed anything"),
    );
    expect(await plans.read(plan.id)).toMatchObject({
      status: "cancel",
      jobs: [{ status: "failed" }, { status: "todo" }],
    });
    await waitFor("nothing to be owed", async () => (await findPendingEffects(plan.id)).length === 0);
  });
});
