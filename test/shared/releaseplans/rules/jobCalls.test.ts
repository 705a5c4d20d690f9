import { describe, expect, test } from "vitest";
import { lapse } from "../../../../shared/releaseplans/rules/approval.ts";
import {
  executableJob,
  executeText,
  retriableJob,
  skipJob,
  taskEnded,
  taskRetried,
  taskStarted,
} from "../../../../shared/releaseplans/rules/jobCalls.ts";
import { endWindow } from "../../../../shared/releaseplans/rules/window.ts";
import { byLee, givenApproval, givenPlan, kim, now, planAfter, sentenceOf, textJob, workflowJob } from "./givenPlan.ts";

const tell = { ...byLee, jobId: "id-tell", type: "text" };
const ship = { ...byLee, jobId: "id-ship", type: "workflow" };
const remark = { inline: "done at ten" };
const executing = (changes = {}) =>
  givenPlan({
    ...{ status: "executing", executingTime: now },
    jobs: [textJob("tell", { status: "todo" }), workflowJob("ship", { status: "todo" })],
    ...changes,
  });
const passed = { jobId: "id-ship", taskId: 3, status: "passed", endedAt: now };

describe("a text job", () => {
  test("is done by whoever says so, whose remark takes the place of what was there", () => {
    const plan = planAfter(executeText(executing(), tell, remark));
    expect(plan.jobs[0]).toMatchObject({ status: "done", executedBy: "Lee", executedTime: now, remark });
    expect(plan).toMatchObject({ status: "executing", updatedBy: "Lee", updatedAt: now });
    expect(sentenceOf(executeText(plan, tell, remark))).toBe("job tell status is not todo: it is done");
  });

  test("that is the last ends the plan", () => {
    const plan = executing({ jobs: [textJob("tell", { status: "todo" })] });
    expect(planAfter(executeText(plan, tell, remark))).toMatchObject({ status: "success", successTime: now });
  });

  test("is skipped by name and time; without a remark it keeps its own", () => {
    const plan = planAfter(skipJob(executing(), tell, undefined));
    expect(plan.jobs[0]).toMatchObject({ status: "skipped", executedBy: "Lee", executedTime: now });
    expect(sentenceOf(skipJob(plan, tell, undefined))).toBe("job tell status is not todo: it is skipped");
  });

  test("does not run again", () => {
    expect(sentenceOf(retriableJob(executing(), tell))).toBe("text release job does not support retry; execute it");
  });
});

describe("a call about a job", () => {
  test("names one of the plan, by id and by type", () => {
    expect(sentenceOf(executableJob(executing(), { ...tell, jobId: "other" }))).toBe(
      "id: job other is not in the plan may",
    );
    expect(sentenceOf(executableJob(executing(), { ...ship, type: "text" }))).toBe(
      "type: job ship is of type workflow, not text",
    );
  });

  test("is the job's manager's, the plan's and an administrator's", () => {
    const own = executing({ jobs: [textJob("tell", { status: "todo", managerId: "kim" })] });
    const byKim = { ...tell, by: kim };
    expect(planAfter(executeText(own, byKim, remark)).jobs[0]).toMatchObject({ executedBy: "Kim" });
    expect(planAfter(executeText(own, tell, remark)).jobs[0]).toMatchObject({ executedBy: "Lee" });
    expect(executeText(executing(), byKim, remark)).toEqual({
      ...{ status: 403, refused: "user Kim is not the manager of the plan may" },
    });
    const other = executing({ jobs: [textJob("tell", { status: "todo", managerId: "bo" })] });
    expect(sentenceOf(executeText(other, byKim, remark))).toBe("user Kim is not the manager of the job tell");
    expect(planAfter(executeText(executing(), { ...byKim, isAdministrator: true }, remark)).status).toBe("executing");
  });

  test.each(["planning", "finish_planning", "wait_for_approval", "timeout", "cancel"] as const)(
    "waits for execution: %s",
    (status) => {
      const sentence = (verb: string, wanted = "executing") =>
        `plan status is ${status}, can not ${verb}; that is for a plan that is ${wanted}`;
      expect(sentenceOf(executableJob(executing({ status }), tell))).toBe(sentence("execute"));
      expect(sentenceOf(retriableJob(executing({ status }), ship))).toBe(sentence("retry", "executing or success"));
      expect(sentenceOf(skipJob(executing({ status }), tell, undefined))).toBe(sentence("skip"));
    },
  );

  test("comes inside the window, both bounds included; behind it the plan is timed out, but not by a skip", () => {
    const sentence = "plan is not in the release time range: it goes from";
    const early = `${sentence} 2025-10-09T08:53:21Z to 2025-10-09T08:53:22Z`;
    const late = `${sentence} 2025-10-09T08:53:18Z to 2025-10-09T08:53:19Z`;
    const window = (startTime: number, endTime: number) => executing({ startTime, endTime });
    expect(executableJob(window(now, now), tell)).toMatchObject({ name: "tell" });
    expect(executableJob(window(now + 1, now + 2), tell)).toEqual({ status: 400, refused: early });
    expect(executableJob(window(now - 2, now - 1), tell)).toMatchObject({
      ...{ refused: late, meanwhile: { plan: { status: "timeout" } } },
    });
    expect(skipJob(window(now - 2, now - 1), tell, undefined)).toEqual({ status: 400, refused: late });
    expect(executableJob(window(0, now), tell)).toMatchObject({ name: "tell" });
  });

  test("waits for the jobs that its job depends on", () => {
    const jobs = [
      textJob("tell", { status: "todo" }),
      workflowJob("ship", { status: "todo", dependsOn: ["tell", "check"] }),
      textJob("check", { status: "skipped" }),
    ];
    expect(sentenceOf(executableJob(executing({ jobs }), ship))).toBe(
      "job ship waits for tell, which must be done or skipped",
    );
    expect(executableJob(planAfter(executeText(executing({ jobs }), tell, remark)), ship)).toMatchObject({
      name: "ship",
    });
  });
});

describe("a workflow job", () => {
  const started = () => planAfter(taskStarted(executing(), workflowJob("ship", { status: "todo" }), 3, byLee));

  test("runs a task, whose end ends it", () => {
    expect(started().jobs[1]).toMatchObject({
      ...{ status: "running", executedBy: "Lee", executedTime: now, workflow: { taskId: 3, taskStatus: "prepare" } },
    });
    expect(planAfter(taskEnded(started(), passed)).jobs[1]).toMatchObject({
      ...{ status: "done", workflow: { taskStatus: "passed" } },
    });
    expect(taskEnded(started(), { ...passed, taskId: 2 })).toBeUndefined();
    expect(taskEnded(planAfter(taskEnded(started(), passed)), passed)).toBeUndefined();
  });

  test.each(["failed", "timeout", "cancelled", "reject"])(
    "whose task ended %s has failed, and does not hold up",
    (status) => {
      const plan = planAfter(executeText(started(), tell, remark));
      const outcome = taskEnded(plan, { ...passed, status });
      expect(planAfter(outcome)).toMatchObject({
        status: "success",
        successTime: now,
        jobs: [{}, { status: "failed" }],
      });
      expect(outcome?.log.map(({ detail }) => detail)).toEqual([
        `task 3 ended ${status}`,
        "all jobs are over, 1 of 2 failed",
      ]);
    },
  );

  test("runs anew after it failed, by a new task; a running one does not", () => {
    expect(sentenceOf(executableJob(started(), ship))).toBe("job ship status running can't execute");
    const failed = planAfter(taskEnded(started(), { ...passed, status: "failed" }));
    expect(executableJob(failed, ship)).toMatchObject({ name: "ship" });
  });

  test("is retried by the same task, also when the plan was over, which goes on in a new round", () => {
    const over = planAfter(taskEnded(planAfter(executeText(started(), tell, remark)), { ...passed, status: "failed" }));
    const job = retriableJob(over, ship);
    if ("refused" in job) throw new Error(job.refused);
    const plan = planAfter(taskRetried(over, job, byLee));
    expect(plan).toMatchObject({ status: "executing", successTime: 0, round: over.round + 1 });
    expect(plan.jobs[1]).toMatchObject({ status: "running", workflow: { taskId: 3 } });
    expect(plan.jobs[1]).not.toHaveProperty("taskId");
    expect(sentenceOf(retriableJob(plan, ship))).toBe("job ship status running can't retry; only a failed one can");
  });

  test("that ended in time makes a success of the plan, even when the window's end was heard of first", () => {
    const alone = { jobs: [workflowJob("ship", { status: "running" }, 3)], endTime: now };
    expect(planAfter(taskEnded(executing(alone), passed)).status).toBe("success");
    const timedOut = planAfter(endWindow(executing(alone), now + 1));
    expect(timedOut.status).toBe("timeout");
    expect(planAfter(taskEnded(timedOut, passed))).toMatchObject({ status: "success", successTime: now });
    const late = { ...passed, endedAt: now + 1 };
    expect(planAfter(taskEnded(timedOut, late))).toMatchObject({ status: "timeout", jobs: [{ status: "done" }] });
    expect(planAfter(taskEnded(executing(alone), late))).toMatchObject({ status: "timeout" });
  });
});

test("a window ends a plan that is executing, once it is over and only then", () => {
  expect(endWindow(executing({ endTime: now }), now)).toBeUndefined();
  expect(endWindow(executing(), now)).toBeUndefined();
  expect(endWindow(givenPlan({ endTime: now - 1 }), now)).toBeUndefined();
  expect(endWindow(executing({ endTime: now - 1 }), now)?.log).toMatchObject([{ by: { name: "System" } }]);
});

describe("an approval that is valid for some minutes", () => {
  const approved = (changes = {}) =>
    executing({
      approval: givenApproval({ status: "passed", validForMinutes: 10 }),
      ...{ approvalTime: now - 601, executingTime: now - 601, ...changes },
    });

  test("is void when no job has begun by then: the plan is back before it", () => {
    expect(lapse(approved({ approvalTime: now - 600 }), now)).toBeUndefined();
    const outcome = executableJob(approved(), tell);
    if (!("refused" in outcome)) throw new Error("was not refused");
    expect(outcome.refused).toBe("the approval is void, the plan must be approved again");
    expect(outcome.meanwhile?.plan).toMatchObject({
      ...{ status: "finish_planning", approval: { status: "" }, approvalTime: 0, executingTime: 0 },
    });
  });

  test("holds once a job has begun; jobs kept from before have not", () => {
    const begun = [textJob("tell", { status: "done", executedTime: now }), workflowJob("ship", { status: "todo" })];
    expect(lapse(approved({ jobs: begun }), now)).toBeUndefined();
    const kept = [
      textJob("tell", { status: "done", lastStatus: "done", executedTime: 5 }),
      textJob("b", { status: "todo" }),
    ];
    expect(lapse(approved({ jobs: kept }), now)?.plan.status).toBe("finish_planning");
  });
});
