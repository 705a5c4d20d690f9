import { describe, expect, test } from "vitest";
import { monthsOfPlans } from "../../../../functions/api/releaseplans/plans.ts";
import { decide } from "../../../../shared/releaseplans/rules/approval.ts";
import { callBack, statusOfEvent } from "../../../../shared/releaseplans/rules/callback.ts";
import { dependencyProblem, jobsToStart } from "../../../../shared/releaseplans/rules/dependencies.ts";
import { edit, newPlan, type PlanContent, replace } from "../../../../shared/releaseplans/rules/edit.ts";
import { executeText } from "../../../../shared/releaseplans/rules/jobCalls.ts";
import { type HookEvent, hookEvents, type Plan } from "../../../../shared/releaseplans/rules/plan.ts";
import { type PlanStatus, planStatuses } from "../../../../shared/releaseplans/rules/status.ts";
import { statusCall } from "../../../../shared/releaseplans/rules/statusCall.ts";
import { isRefusal } from "../../../../shared/releaseplans/rules/step.ts";
import { timesProblem } from "../../../../shared/releaseplans/rules/window.ts";
import {
  approver,
  byLee,
  callFor,
  givenApproval,
  givenPlan,
  kim,
  now,
  planAfter,
  sentenceOf,
  textJob,
  workflowJob,
} from "./givenPlan.ts";

const editing = { by: kim, now, newCode: "new", hooks: null };
const contentOf = ({ name, manager, managerId, description, approval, settings, jobs }: Plan): PlanContent => ({
  ...{ name, manager, managerId, description, approval, settings, jobs },
  ...{ startTime: 0, endTime: 0, scheduleExecuteTime: 0, jiraSprintAssociation: null, notify: null },
});

describe("the times of a plan", () => {
  test.each([
    [0, 0, 0],
    [0, 0, 5],
    [0, 9, 5],
    [3, 9, 3],
    [3, 9, 9],
    [3, 9, 0],
  ])("may be %i to %i, at %i", (startTime, endTime, scheduleExecuteTime) => {
    expect(timesProblem({ startTime, endTime, scheduleExecuteTime }, 33)).toBeUndefined();
  });

  test("may not have a schedule that was missed", () => {
    const times = { startTime: 0, endTime: 0, scheduleExecuteTime: 100 };
    expect(timesProblem(times, 130)).toBeUndefined();
    expect(timesProblem(times, 131)).toEqual({
      field: "schedule_execute_time",
      problem: expect.stringContaining("is past"),
    });
  });

  test.each([
    [9, 3, 0, "end_time", "must be later than start_time 9; send 0 for both when there is no window"],
    [9, 0, 0, "end_time", "must be later than start_time 9; send 0 for both when there is no window"],
    [9, 9, 0, "end_time", "must be later than start_time 9; send 0 for both when there is no window"],
    [3, 9, 2, "schedule_execute_time", "must be inside the window from 3 to 9, or 0"],
    [3, 9, 10, "schedule_execute_time", "must be inside the window from 3 to 9, or 0"],
  ])("may not be %i to %i, at %i", (startTime, endTime, scheduleExecuteTime, field, problem) => {
    expect(timesProblem({ startTime, endTime, scheduleExecuteTime }, 0)).toEqual({ field, problem });
  });
});

describe("what jobs depend on", () => {
  const job = (name: string, ...dependsOn: string[]) => ({ name, dependsOn });

  test("is jobs of the plan with names of their own, and no circle", () => {
    expect(dependencyProblem([job("a"), job("a"), job("b")])).toBeUndefined();
    expect(dependencyProblem([job("a"), job("b", "a"), job("c", "a", "b")])).toBeUndefined();
    expect(dependencyProblem([job("a", "x")])).toEqual({
      ...{ at: 0, problem: "x is no job of the plan, which has a" },
    });
    expect(dependencyProblem([job("a"), job("a"), job("b", "a")])).toEqual({
      ...{ at: 2, problem: "a names 2 jobs of the plan; give them names of their own" },
    });
    expect(dependencyProblem([job("a"), job("a", "a")])).toEqual({
      ...{ at: 1, problem: "a names 2 jobs of the plan; give them names of their own" },
    });
    expect(dependencyProblem([job("a", "a")])?.problem).toBe("jobs wait for each other: a -> a");
    expect(dependencyProblem([job("x", "a"), job("a", "b"), job("b", "c"), job("c", "a")])?.problem).toBe(
      "jobs wait for each other: a -> b -> c -> a",
    );
  });

  test("decides what starts by itself, with the settings", () => {
    const jobs = [
      workflowJob("a", { status: "todo" }),
      workflowJob("b", { status: "todo", dependsOn: ["a"] }),
      workflowJob("c", { status: "todo" }),
      textJob("d", { status: "todo" }),
      workflowJob("e", { status: "running" }, 1),
    ];
    const names = (changed: typeof jobs, concurrency = 0, stopOnFailure = false) =>
      jobsToStart(changed, { concurrency, stopOnFailure }).map(({ name }) => name);
    expect(names(jobs)).toEqual(["a", "c"]);
    expect(names(jobs, 2)).toEqual(["a"]);
    expect(names(jobs, 1)).toEqual([]);
    const failed = [...jobs, workflowJob("f", { status: "failed" }, 2)];
    expect(names(failed)).toEqual(["a", "c"]);
    expect(names(failed, 0, true)).toEqual([]);
    expect(names([workflowJob("a", { status: "skipped" }), ...jobs.slice(1, 2)])).toEqual(["b"]);
    expect(names([workflowJob("a", { status: "failed" }), ...jobs.slice(1, 2)])).toEqual([]);
  });
});

describe("an edit", () => {
  const renaming = { verb: "update", targetType: "metadata", targetName: "name", detail: "renamed" } as const;

  test("of a new plan begins with edition 1, as a draft of its maker", () => {
    const { plan, log } = newPlan({ planId: "n", index: 4 }, contentOf(givenPlan()), editing);
    expect(plan).toMatchObject({ index: 4, edition: 1, status: "planning", createdBy: "Kim", editors: ["kim"] });
    expect(log).toMatchObject([{ verb: "create", targetType: "release_plan", targetName: "may" }]);
  });

  test("counts, names its editor, and names the content anew", () => {
    const outcome = edit(givenPlan(), { content: { name: "june" }, entry: renaming }, editing);
    expect(planAfter(outcome)).toMatchObject({
      ...{ name: "june", edition: 2, updatedBy: "Kim", updatedAt: now, instanceCode: "new", editors: ["kim"] },
    });
    expect(outcome).toMatchObject({ log: [{ by: kim, edition: 2, targetType: "metadata" }] });
  });

  test("that changes nothing leaves no trace", () => {
    const plan = givenPlan();
    expect(edit(plan, { content: { name: "may" }, entry: renaming }, editing)).toMatchObject({ plan, log: [] });
  });

  test("keeps no decision that a client sent", () => {
    const approval = givenApproval({ status: "passed", approvers: [approver("kim")] });
    const plan = planAfter(edit(givenPlan(), { content: { approval }, entry: renaming }, editing));
    expect(plan.approval).toMatchObject({ status: "", approvers: [] });
  });

  test.each(planStatuses.filter((status) => status !== "planning"))("is refused in %s", (status) => {
    const next: Partial<Record<PlanStatus, string>> = {
      executing: "a call leads from there to success or planning or cancel",
      wait_for_approval: "a call leads from there to executing or planning or cancel",
      success: "it is over: copy it to run it again",
    };
    expect(sentenceOf(edit(givenPlan({ status }), { content: {}, entry: renaming }, editing))).toBe(
      `plan status is ${status}, can not update; ${next[status] ?? "a PATCH makes it a draft again"}`,
    );
  });
});

describe("a full replacement", () => {
  test.each(planStatuses)("in %s", (status) => {
    const plan = givenPlan({ status });
    const outcome = replace(plan, contentOf(plan), editing);
    if (["success", "executing", "wait_for_approval"].includes(status))
      expect(sentenceOf(outcome)).toBe(
        `release plan status is success, executing or wait for approve, can't update: it is ${status}; ${
          status === "success" ? "it is over: copy it to run it again" : "move it to planning first"
        }`,
      );
    else expect(planAfter(outcome)).toMatchObject({ status: "planning", edition: 2 });
  });

  test("keeps ids by type and name in order, lets tasks go, and starts the times over", () => {
    const before = givenPlan({
      ...{ status: "timeout", executingTime: 5, approvalTime: 4 },
      jobs: [textJob("a"), { ...textJob("a"), id: "second" }, workflowJob("s", { status: "running" }, 3)],
    });
    const jobs = [workflowJob("s"), textJob("a"), textJob("b"), textJob("a")].map((job, at) => ({
      ...job,
      id: `new-${at}`,
    }));
    const outcome = replace(before, { ...contentOf(before), jobs }, editing);
    expect(planAfter(outcome).jobs.map(({ id }) => id)).toEqual(["id-s", "id-a", "new-2", "second"]);
    expect(planAfter(outcome)).toMatchObject({ executingTime: 0, approvalTime: 0 });
    expect(outcome).toMatchObject({ cancels: [{ ownerId: "f00d", taskId: 3 }] });
    if (isRefusal(outcome)) throw new Error(outcome.refused);
    expect(outcome.log.map(({ targetType }) => targetType)).toEqual(["release_plan", "release_plan_status"]);
  });
});

describe("an external system", () => {
  const asked = (event: HookEvent, enableCallBack = true) => ({ enable: true, enableCallBack, events: [event] });
  const answer = (event: HookEvent, result: "success" | "failed" | "executing") => {
    return { event, result, failedReason: "no", description: "note", by: kim, instanceCode: "c", now };
  };
  const said = { approve: true, comment: "" };

  test("is told of an event, and the plan goes on", () => {
    const plan = givenPlan({ hooks: asked("finish_planning", false) });
    const outcome = statusCall(plan, callFor("finish_planning"));
    expect(outcome).toMatchObject({ plan: { status: "finish_planning" }, hooks: ["finish_planning"] });
  });

  test("holds the end of planning, and without an approval begins the execution", () => {
    const plan = givenPlan({ hooks: asked("finish_planning") });
    const held = planAfter(statusCall(plan, callFor("finish_planning")));
    expect(held).toMatchObject({ status: "wait_for_finish_planning_external_check", planningTime: now });
    expect(held).toMatchObject({ finishPlanningTime: 0, finishPlanningCheckTime: now });
    expect(planAfter(callBack(held, answer("finish_planning", "success")))).toMatchObject({
      ...{ status: "executing", finishPlanningTime: now, executingTime: now, jobs: [{ status: "todo" }] },
    });
    const approved = { ...held, approval: givenApproval() };
    expect(planAfter(callBack(approved, answer("finish_planning", "success"))).status).toBe("finish_planning");
  });

  test("holds the execution, by status call and by approval", () => {
    const hooks = asked("start_execute");
    const called = planAfter(statusCall(givenPlan({ status: "finish_planning", hooks }), callFor("executing")));
    const approval = givenApproval({ approvers: [approver("kim")] });
    const waiting = givenPlan({ status: "wait_for_approval", hooks, approval });
    const approved = planAfter(decide(waiting, said, { ...byLee, by: kim }));
    for (const held of [called, approved]) {
      expect(held).toMatchObject({ status: "wait_for_execute_external_check", jobs: [{ status: "" }] });
      const armed = planAfter(callBack(held, answer("start_execute", "success")));
      expect(armed).toMatchObject({ status: "executing", jobs: [{ status: "todo" }] });
    }
  });

  test("holds the end", () => {
    const jobs = [textJob("tell", { status: "todo" })];
    const plan = givenPlan({ status: "executing", jobs, hooks: asked("all_job_done") });
    const call = { ...byLee, jobId: "id-tell", type: "text" };
    const held = planAfter(executeText(plan, call, { inline: "" }));
    expect(held).toMatchObject({ status: "wait_for_all_done_external_check", successTime: 0 });
    expect(planAfter(callBack(held, answer("all_job_done", "success")))).toMatchObject({
      ...{ status: "success", successTime: now },
    });
  });

  test.each(hookEvents)("that says failed, or not yet, of %s", (event) => {
    const status = {
      finish_planning: "wait_for_finish_planning_external_check",
      start_execute: "wait_for_execute_external_check",
      all_job_done: "wait_for_all_done_external_check",
    } as const;
    const held = givenPlan({ status: status[event], hooks: asked(event) });
    expect(planAfter(callBack(held, answer(event, "failed")))).toMatchObject({
      ...{ status: `${status[event]}_failed`, checkFailedReason: "no" },
    });
    expect(planAfter(callBack(held, answer(event, "executing")))).toEqual({ ...held, callbackDescription: "note" });
    expect(sentenceOf(callBack({ ...held, status: "planning" }, answer(event, "success")))).toBe(
      `plan status is planning, it does not wait for ${event}`,
    );
    expect(sentenceOf(callBack(held, { ...answer(event, "success"), instanceCode: "old" }))).toContain("instance_code");
    const unasked = { ...held, hooks: asked(event, false) };
    expect(planAfter(callBack(unasked, answer(event, "success")))).toBe(unasked);
  });

  test("is told of the beginning and of the end when everything was done before, in this order", () => {
    const hooks = { enable: true, enableCallBack: false, events: hookEvents };
    const jobs = [textJob("tell", { lastStatus: "done" })];
    const outcome = statusCall(givenPlan({ status: "finish_planning", jobs, hooks }), callFor("executing"));
    expect(outcome).toMatchObject({ plan: { status: "success" }, hooks: ["start_execute", "all_job_done"] });
    expect(hookEvents.map((event) => statusOfEvent({ hooks }, event))).toEqual([
      ...["finish_planning", "executing", "success"],
    ]);
  });

  test.each([
    [false, ["all_job_done"]],
    [true, []],
  ])("that is asked (%s) hears of an end by the manager: %j", (isAsked, told) => {
    const plan = givenPlan({ status: "executing", hooks: asked("all_job_done", isAsked) });
    expect(statusCall(plan, callFor("success"))).toMatchObject({ plan: { status: "success" }, hooks: told });
  });
});

test("plans that succeeded are counted by the month in which they began", () => {
  const at = (text: string) => Date.parse(text) / 1000;
  const plan = (began: string, approvalTime: number, seconds: number) => {
    return { approvalTime, executingTime: at(began), successTime: seconds === 0 ? 0 : at(began) + seconds };
  };
  const began = "2026-03-31T23:59:00Z";
  const plans = [
    plan("2026-04-02T00:00:00Z", 0, 30),
    plan(began, at(began) - 20, 10),
    plan(began, 0, 30),
    plan(began, 0, 0),
    plan("2027-01-01T00:00:00Z", 0, 5),
  ];
  expect(monthsOfPlans(plans, at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"))).toEqual([
    { month: "2026-03", count: 2, averageDuration: 20, averageWait: 20 },
    { month: "2026-04", count: 1, averageDuration: 30, averageWait: 0 },
  ]);
});
