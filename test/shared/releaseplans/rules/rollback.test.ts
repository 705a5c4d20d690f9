import { describe, expect, test } from "vitest";
import { replace } from "../../../../shared/releaseplans/rules/edit.ts";
import { executableJob, taskEnded } from "../../../../shared/releaseplans/rules/jobCalls.ts";
import { defaultSettings, type Plan } from "../../../../shared/releaseplans/rules/plan.ts";
import {
  callRollback,
  endRollback,
  reasonToLeave,
  rollbackStatus,
} from "../../../../shared/releaseplans/rules/rollback.ts";
import { planStatuses } from "../../../../shared/releaseplans/rules/status.ts";
import { isRefusal } from "../../../../shared/releaseplans/rules/step.ts";
import { byLee, givenPlan, kim, lee, now, planAfter, sentenceOf, textJob, workflowJob } from "./givenPlan.ts";

const running = (changes: Partial<Plan> = {}) =>
  givenPlan({
    ...{ status: "executing", round: 1, executingTime: now },
    jobs: [
      workflowJob("ship", { status: "running" }, 3),
      workflowJob("other", { status: "running" }, 4),
      textJob("tell"),
    ],
    ...changes,
  });
const failed = { jobId: "id-ship", taskId: 3, status: "failed", endedAt: now };
const done = { outcome: { round: 1, attempt: 1, status: "done" } } as const;

describe("a call", () => {
  test("ends the plan at once, lets its tasks go, and starts nothing any more", () => {
    const step = callRollback(running({ starting: lee }), byLee, [{}]);
    expect(step).toMatchObject({ cancels: [{ taskId: 3 }, { taskId: 4 }] });
    const plan = planAfter(step);
    expect(plan).toMatchObject({ status: "cancel", starting: null, rollback: { attempt: 1, by: lee, over: false } });
    const call = { ...byLee, jobId: "id-tell", type: "text" };
    expect(executableJob(plan, call)).toMatchObject({
      refused: expect.stringContaining("plan status is cancel, can not execute"),
    });
    expect(sentenceOf(callRollback(plan, byLee, [{}]))).toBe("the plan may is being rolled back already");
    const content = { ...plan, settings: defaultSettings };
    expect(sentenceOf(replace(plan, content, { by: lee, now, newCode: "c", hooks: null }))).toBe(
      "the plan is being rolled back, can't update; wait until that is over",
    );
  });

  test("is its manager's and an administrator's", () => {
    const byKim = { ...byLee, by: kim };
    expect(callRollback(running(), byKim, [{}])).toMatchObject({ status: 403 });
    expect(isRefusal(callRollback(running(), { ...byKim, isAdministrator: true }, [{}]))).toBe(false);
  });

  test.each(planStatuses)("of a plan that is %s", (status) => {
    const step = callRollback(running({ status }), byLee, [{}]);
    const allowed = ["executing", "timeout", "success", "cancel"];
    const isAllowed = allowed.includes(status) || status.startsWith("wait_for_all_done_external_check");
    if (isAllowed) expect(planAfter(step)).toMatchObject({ status: "cancel", rollback: { over: false } });
    else expect(sentenceOf(step)).toBe(`plan status is ${status}, can not roll back`);
  });

  test("needs something that is deployed, and has not gone back", () => {
    expect(sentenceOf(callRollback(running(), byLee, []))).toBe(
      "no task of the plan may has deployed anything; cancel it instead",
    );
    expect(sentenceOf(callRollback(running(), byLee, [done]))).toBe(
      "everything that the plan may deployed has gone back already",
    );
  });

  test("that comes again tries what failed or was left, and nothing else", () => {
    const first = planAfter(callRollback(running(), byLee, [{}]));
    const statuses = (plan: Plan) =>
      (["done", "failed", "skipped"] as const).map((status) =>
        rollbackStatus(plan, { outcome: { round: 1, attempt: 1, status } }),
      );
    expect(statuses(first)).toEqual(["done", "failed", "skipped"]);
    const over = endRollback(first, ["done", "failed", "skipped"]);
    expect(over.log[0]?.detail).toBe(
      "the rollback is over: 1 of 3 services went back, 1 failed, 1 were left as they are",
    );
    const again = callRollback(over.plan, byLee, [{}]);
    expect(again).toMatchObject({
      plan: { status: "cancel", rollback: { attempt: 2 } },
      log: [{ targetType: "release_plan" }],
    });
    expect(statuses(planAfter(again))).toEqual(["done", "todo", "todo"]);
    const nextRound = { round: 2, rollback: null };
    expect([rollbackStatus(nextRound, done), rollbackStatus(nextRound, {})]).toEqual([undefined, "todo"]);
  });
});

describe("rollback_on_failure", () => {
  const settings = { ...defaultSettings, rollbackOnFailure: true };

  test.each(["executing", "timeout"] as const)("takes back what a plan deployed that is %s, once", (status) => {
    const step = taskEnded(running({ settings, status }), failed);
    expect(step).toMatchObject({
      cancels: [{ taskId: 4 }],
      plan: { status: "cancel", rollback: { by: { name: "System" } } },
    });
    expect(step?.log.map(({ detail }) => detail)).toEqual([
      "task 3 ended failed",
      "rolled back because job ship failed",
    ]);
    const other = step && taskEnded(step.plan, { ...failed, jobId: "id-other", taskId: 4 });
    expect(other).toMatchObject({ cancels: [], plan: { status: "cancel", rollback: { attempt: 1 } } });
  });

  test("wins over the end of the last job; without it a failed job does not hold the plan up", () => {
    const jobs = [workflowJob("ship", { status: "running" }, 3)];
    expect(taskEnded(running({ settings, jobs }), failed)?.plan.status).toBe("cancel");
    expect(taskEnded(running({ jobs }), failed)?.plan).toMatchObject({ status: "success", rollback: null });
    expect(taskEnded(running({ settings, jobs }), { ...failed, status: "passed" })?.plan.status).toBe("success");
  });
});

describe("a service", () => {
  const deploy = {
    ...{ service: "web", isNew: false, before: 2, deployers: ["a-0", "b-0"], madeByRollback: [5] },
    tasks: [{ workflowKey: "ship", taskId: 3 }],
  };
  const byPlan = { revision: 3, operation: "deploy", createBy: "Lee", workflowKey: "ship", taskId: 3 };
  const byKim = { revision: 4, operation: "image", createBy: "Kim" };
  const byHand = "it stays as it is: go back by hand where you mean to";

  test.each([
    ["that only the plan changed", {}, [byPlan, { ...byKim, revision: 2 }], "b-0", undefined],
    ["that its rollback tried to take back", {}, [{ ...byKim, revision: 5 }, byPlan], undefined, undefined],
    [
      "that somebody has changed since",
      {},
      [byKim, byPlan],
      "b-0",
      `Kim has changed the service web since: version 4 (image); ${byHand}`,
    ],
    [
      "that another task has deployed",
      {},
      [{ ...byPlan, taskId: 4 }],
      "b-0",
      `Lee has changed the service web since: version 3 (deploy); ${byHand}`,
    ],
    [
      "that another task has begun to deploy",
      {},
      [byPlan],
      "c-0",
      `a task that is not of the plan has deployed the service web since; ${byHand}`,
    ],
    [
      "that the plan brought",
      { isNew: true },
      [],
      "a-0",
      "the plan brought the service web; it stays, because its data would go with it: delete it by hand",
    ],
    [
      "without a version from before",
      { before: 0 },
      [],
      "a-0",
      "the service web has no version from before the plan; it stays as it is",
    ],
  ])("%s", (_what, changes, versions, deployedBy, reason) => {
    expect(reasonToLeave({ deploy: { ...deploy, ...changes }, versions, deployedBy })).toBe(reason);
  });
});
