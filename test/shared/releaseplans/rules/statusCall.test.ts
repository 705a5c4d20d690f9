import { describe, expect, test } from "vitest";
import { decide } from "../../../../shared/releaseplans/rules/approval.ts";
import { type PlanStatus, planStatuses } from "../../../../shared/releaseplans/rules/status.ts";
import { statusCall } from "../../../../shared/releaseplans/rules/statusCall.ts";
import { isRefusal } from "../../../../shared/releaseplans/rules/step.ts";
import {
  approver,
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

const all = { planning: 0, finish: 0, approval: 0, executing: 0, success: 0 };
const timesOf = (plan: ReturnType<typeof givenPlan>) => ({
  ...{ planning: plan.planningTime, finish: plan.finishPlanningTime, approval: plan.approvalTime },
  ...{ executing: plan.executingTime, success: plan.successTime },
});

/** Every row of the table that a status call may take. */
const rows: readonly (readonly [PlanStatus, PlanStatus])[] = [
  ["planning", "finish_planning"],
  ["wait_for_finish_planning_external_check", "planning"],
  ["wait_for_finish_planning_external_check", "cancel"],
  ["wait_for_finish_planning_external_check_failed", "planning"],
  ["wait_for_finish_planning_external_check_failed", "cancel"],
  ["finish_planning", "planning"],
  ["finish_planning", "wait_for_approval"],
  ["finish_planning", "executing"],
  ["wait_for_approval", "executing"],
  ["wait_for_approval", "planning"],
  ["wait_for_approval", "cancel"],
  ["denied", "planning"],
  ["denied", "cancel"],
  ["wait_for_execute_external_check", "planning"],
  ["wait_for_execute_external_check", "cancel"],
  ["wait_for_execute_external_check_failed", "planning"],
  ["wait_for_execute_external_check_failed", "cancel"],
  ["executing", "success"],
  ["executing", "planning"],
  ["executing", "cancel"],
  ["timeout", "planning"],
  ["timeout", "cancel"],
  ["wait_for_all_done_external_check", "planning"],
  ["wait_for_all_done_external_check", "cancel"],
  ["wait_for_all_done_external_check_failed", "planning"],
  ["wait_for_all_done_external_check_failed", "cancel"],
];
const isRow = (from: PlanStatus, to: PlanStatus) => rows.some(([a, b]) => a === from && b === to);
const pairs = planStatuses.flatMap((from) => planStatuses.map((to) => [from, to] as const));

describe("a status call", () => {
  test.each(rows)("leads from %s to %s, and the log says so", (from, to) => {
    const approval = givenApproval({ enabled: false });
    const outcome = statusCall(givenPlan({ status: from, approval }), callFor(to));
    expect(planAfter(outcome).status).toBe(to);
    if (isRefusal(outcome)) throw new Error(outcome.refused);
    const [entry] = outcome.log;
    expect(entry).toMatchObject({ targetType: "release_plan_status", before: from, after: to, by: { uid: "lee" } });
  });

  test.each(pairs.filter(([from, to]) => !isRow(from, to)))("never leads from %s to %s", (from, to) => {
    const sentence = sentenceOf(statusCall(givenPlan({ status: from }), callFor(to)));
    const ways = rows.filter(([status]) => status === from).map(([, status]) => status);
    const over = from === "success" ? "copy it to run it again" : "a PATCH makes it a draft again";
    const next = ways.length > 0 ? `a call leads from there to ${ways.join(" or ")}` : `it is over: ${over}`;
    if (from === to) expect(sentence).toBe(`current status can not equal to target status ${to}`);
    else if (from.includes("external_check"))
      expect(sentence).toBe(`can't update status, current status: ${from}; ${next}`);
    else expect(sentence).toBe(`can't convert plan status ${from} to ${to}; ${next}`);
  });

  test("is the manager's and an administrator's", () => {
    const refused = statusCall(givenPlan(), callFor("finish_planning", { by: kim }));
    expect(refused).toEqual({ status: 403, refused: "user Kim is not the manager of the plan may" });
    const byAdministrator = callFor("finish_planning", { by: kim, isAdministrator: true });
    expect(planAfter(statusCall(givenPlan(), byAdministrator))).toMatchObject({ lastCaller: kim, managerId: "lee" });
  });

  test("to finish_planning needs a job, notes the time, begins a round, and takes what jobs would run now", () => {
    expect(sentenceOf(statusCall(givenPlan({ jobs: [] }), callFor("finish_planning")))).toBe(
      "plan must not have no jobs; give it one by PATCH or by the verb create_release_job",
    );
    const specs = new Map([["id-ship", { inline: "as it is now" }]]);
    const plan = planAfter(
      statusCall(givenPlan({ jobs: [workflowJob("ship"), textJob("tell")] }), callFor("finish_planning", { specs })),
    );
    expect(timesOf(plan)).toEqual({ ...all, planning: now, finish: now });
    expect(plan.round).toBe(1);
    expect(plan.jobs.map(({ spec }) => spec)).toEqual([{ inline: "as it is now" }, { inline: "" }]);
  });

  test("to wait_for_approval needs an approval with enough people, and clears what was said before", () => {
    const plan = givenPlan({ status: "finish_planning" });
    expect(sentenceOf(statusCall(plan, callFor("wait_for_approval")))).toBe(
      "nil approval: the plan names nobody who approves; move it to executing",
    );
    const approval = givenApproval({ neededApprovers: 2, status: "passed", approvers: [approver("gone")] });
    expect(sentenceOf(statusCall({ ...plan, approval }, callFor("wait_for_approval")))).toBe(
      "all approve users should not less than needed approvers: 2 must approve and 1 are left who may",
    );
    const people = [approver("kim"), approver("bo")];
    const begun = planAfter(statusCall({ ...plan, approval }, callFor("wait_for_approval", { people })));
    expect(begun.approval).toMatchObject({ status: "", approvers: people, instanceCode: "new" });
    expect(begun.requester).toBe("lee");
  });

  test("to executing waits for an approval that has not passed", () => {
    const plan = givenPlan({ status: "finish_planning", approval: givenApproval() });
    const sentence = "approval status is not decided, can not execute";
    expect(sentenceOf(statusCall(plan, callFor("executing")))).toBe(`${sentence}; move it to wait_for_approval`);
    const asked = { ...plan, status: "wait_for_approval" as const };
    expect(sentenceOf(statusCall(asked, callFor("executing")))).toBe(`${sentence}; the approvers have still to decide`);
    const passed = { ...plan, approval: givenApproval({ status: "passed" }) };
    expect(planAfter(statusCall(passed, callFor("executing"))).status).toBe("executing");
  });

  test("to executing arms jobs: what was done and not edited since stays done, the rest is to do", () => {
    const jobs = [
      textJob("kept", { lastStatus: "done", status: "todo", executedBy: "Kim", executedTime: 7 }),
      textJob("edited", { lastStatus: "done", status: "todo", updated: true, executedBy: "Kim", executedTime: 7 }),
      workflowJob("failed", { lastStatus: "failed", status: "todo", executedBy: "Kim", executedTime: 7 }),
    ];
    const plan = planAfter(statusCall(givenPlan({ status: "finish_planning", jobs }), callFor("executing")));
    expect(timesOf(plan)).toEqual({ ...all, executing: now });
    expect(plan.jobs.map(({ status, executedBy, executedTime }) => [status, executedBy, executedTime])).toEqual([
      ["done", "Kim", 7],
      ["todo", "", 0],
      ["todo", "", 0],
    ]);
  });

  test("to executing ends a plan at once whose jobs were all done before", () => {
    const jobs = [textJob("kept", { lastStatus: "done", status: "todo" })];
    const plan = planAfter(statusCall(givenPlan({ status: "finish_planning", jobs }), callFor("executing")));
    expect(plan).toMatchObject({ status: "success", executingTime: now, successTime: now });
  });

  test("to success notes the time and touches no job", () => {
    const jobs = [workflowJob("ship", { status: "running" }, 3)];
    const plan = planAfter(statusCall(givenPlan({ status: "executing", jobs }), callFor("success")));
    expect(plan).toMatchObject({ status: "success", successTime: now, jobs });
  });

  test("to cancel lets go of tasks that run", () => {
    const jobs = [workflowJob("ship", { status: "running" }, 3), workflowJob("done", { status: "done" }, 2)];
    const outcome = statusCall(givenPlan({ status: "executing", jobs }), callFor("cancel"));
    expect(outcome).toMatchObject({ cancels: [{ ownerId: "f00d", taskId: 3 }] });
  });

  test("to planning starts over: times, decisions and unfinished tasks go, what passed stays", () => {
    const jobs = [
      textJob("tell", { status: "done", updated: true }),
      workflowJob("ship", { status: "running" }, 3),
      { ...workflowJob("passed", { status: "done" }, 2) },
    ];
    const passed = jobs[2]?.workflow;
    if (passed !== undefined) jobs[2] = { ...jobs[2]!, workflow: { ...passed, taskStatus: "passed" } };
    const before = givenPlan({
      ...{ status: "timeout", jobs, planningTime: 1, finishPlanningTime: 2, approvalTime: 3, executingTime: 4 },
      ...{ successTime: 5, approval: givenApproval({ status: "passed", approvers: [approver("kim")] }) },
      ...{ editors: ["lee"], requester: "lee", checkFailedReason: "no", round: 1 },
    });
    const outcome = statusCall(before, callFor("planning"));
    const plan = planAfter(outcome);
    expect(outcome).toMatchObject({ cancels: [{ ownerId: "f00d", taskId: 3 }] });
    expect(timesOf(plan)).toEqual(all);
    expect(plan.approval).toMatchObject({ status: "", approvers: [] });
    expect(plan).toMatchObject({ editors: [], requester: "", checkFailedReason: "", instanceCode: "new", round: 1 });
    expect(plan.jobs.map(({ status, lastStatus, updated }) => [status, lastStatus, updated])).toEqual([
      ["todo", "done", false],
      ["todo", "running", false],
      ["todo", "done", false],
    ]);
    expect(plan.jobs.map(({ workflow }) => [workflow?.taskId, workflow?.taskStatus])).toEqual([
      [undefined, undefined],
      [undefined, "prepare"],
      [2, "passed"],
    ]);
  });
});

describe("an approver", () => {
  const waiting = (changes = {}) =>
    givenPlan({ status: "wait_for_approval", approval: givenApproval({ approvers: [approver("kim")], ...changes }) });
  const byKim = { by: kim, isAdministrator: false, now };
  const yes = { approve: true, comment: "ok" };

  test("who is the last that is needed begins the execution", () => {
    const outcome = decide(waiting(), yes, byKim);
    expect(planAfter(outcome)).toMatchObject({
      ...{ status: "executing", approvalTime: now, executingTime: now, approval: { status: "passed" } },
      jobs: [{ status: "todo" }],
    });
    if (isRefusal(outcome)) throw new Error(outcome.refused);
    expect(outcome.log.map(({ by, detail }) => [by.name, detail])).toEqual([
      ["Kim", "approved: ok"],
      ["System", "approval passed"],
      ["System", "approval passed"],
    ]);
  });

  test("who is not the last leaves the plan waiting; both count", () => {
    const approvers = [approver("kim"), approver("bo")];
    const first = planAfter(decide(waiting({ neededApprovers: 2, approvers }), yes, byKim));
    expect(first).toMatchObject({ status: "wait_for_approval", approvalTime: 0 });
    const second = decide(first, yes, { ...byKim, by: { uid: "bo", name: "Bo", account: "bo" } });
    expect(planAfter(second).status).toBe("executing");
  });

  test("who rejects denies the plan at once", () => {
    const approvers = [approver("kim"), approver("bo")];
    const plan = planAfter(decide(waiting({ approvers }), { approve: false, comment: "" }, byKim));
    expect(plan).toMatchObject({ status: "denied", approvalTime: now, approval: { status: "reject" } });
  });

  test("decides once, while the plan waits, and only when named", () => {
    const two = { neededApprovers: 2, approvers: [approver("kim"), approver("bo")] };
    const once = planAfter(decide(waiting(two), yes, byKim));
    expect(decide(once, yes, byKim)).toEqual({ status: 400, refused: "Kim have approve already" });
    expect(sentenceOf(decide(givenPlan(), yes, byKim))).toBe(
      "plan status is planning, can not approve; only wait_for_approval is decided",
    );
    const stranger = { ...byKim, by: { uid: "x", name: "X", account: "x" } };
    expect(decide(waiting(), yes, stranger)).toEqual({ status: 403, refused: "user X has no authority to Approve" });
  });

  test("is nobody who asked for the approval or edited, when that is forbidden", () => {
    const approval = givenApproval({ forbidSelfApproval: true, neededApprovers: 1 });
    const plan = givenPlan({ status: "finish_planning", approval, editors: ["kim"] });
    expect(sentenceOf(statusCall(plan, callFor("wait_for_approval")))).toBe(
      "all approve users should not less than needed approvers: 1 must approve and 0 are left who may; " +
        "1 of those who are named asked for it or edited the plan",
    );
    const people = [approver("kim"), approver("bo")];
    const begun = planAfter(statusCall(plan, callFor("wait_for_approval", { people })));
    expect(begun.approval?.approvers.map(({ userId }) => userId)).toEqual(["bo"]);
    expect(decide(begun, yes, byKim)).toMatchObject({ status: 403 });
  });
});
