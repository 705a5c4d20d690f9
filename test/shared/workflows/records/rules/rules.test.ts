import { describe, expect, test } from "vitest";
import { type Approval, approvalOutcome, decided } from "../../../../../shared/workflows/records/rules/approval.ts";
import { afterEnding } from "../../../../../shared/workflows/records/rules/errorPolicy.ts";
import { isSkipped } from "../../../../../shared/workflows/records/rules/executePolicy.ts";
import { jobDisplayName, jobKey, jobTaskName } from "../../../../../shared/workflows/records/rules/jobName.ts";
import {
  isKeptByRetry,
  isTaskFinal,
  jobStatuses,
  stops,
  type TaskEvent,
  taskStatuses,
  taskStatusesAccepting,
} from "../../../../../shared/workflows/records/rules/status.ts";
import { renderEarly, renderLate, withServiceModule } from "../../../../../shared/workflows/records/rules/variables.ts";

describe("the transitions of a task (contract W 8.3)", () => {
  const table: [TaskEvent, readonly string[]][] = [
    ["dispatch", ["waiting"]],
    ["begin", ["queued"]],
    ["pause", ["running"]],
    ["execute", ["pause"]],
    ["finish", ["queued", "running"]],
    ["cancel", ["created", "waiting", "queued", "running", "pause"]],
    ["retry", ["failed", "timeout", "cancelled", "reject"]],
  ];

  test.each(table)("%s is accepted in %j and nowhere else", (event, accepted) => {
    expect(taskStatuses.filter((status) => taskStatusesAccepting(event).includes(status))).toEqual(accepted);
  });

  test("clients wait until it is passed, failed, timeout, cancelled or reject", () => {
    expect(taskStatuses.filter(isTaskFinal)).toEqual(["passed", "failed", "timeout", "cancelled", "reject"]);
  });

  test("cancelled, failed, timeout, reject and pause stop what is behind", () => {
    const stopping = ["failed", "timeout", "cancelled", "reject"];
    expect(jobStatuses.filter(stops)).toEqual(stopping);
    expect(stops("pause")).toBe(true);
  });

  test("a retry keeps what passed, was skipped or is unstable (contract W 8.8)", () => {
    expect(jobStatuses.filter(isKeptByRetry)).toEqual(["passed", "unstable", "skipped"]);
  });
});

describe("names and keys of job tasks (contract W 4.3, 8.9)", () => {
  test("the name counts stage, job and sub task from 0", () => {
    expect(jobTaskName({ stage: 1, job: 0, sub: 2 }, "build")).toBe("job-1-0-2-build");
  });

  test.each([
    ["build", ["shop", "web"], "build.shop.web", "build-shop-web"],
    ["deploy", ["shop"], "deploy.shop", "deploy-shop"],
    ["script", [], "script", "script"],
  ])("%s of %j", (job, parts, key, shown) => {
    expect(jobKey(job, parts)).toBe(key);
    expect(jobDisplayName(job, parts)).toBe(shown);
  });
});

describe("error policies (contract W 8.7)", () => {
  const state = (policy: string, retryCount = 0) => ({ policy, maximumRetry: 2, retryCount });

  test.each(["failed", "timeout"] as const)("of a job that is %s", (ending) => {
    expect(afterEnding(ending, state(""))).toEqual({ end: ending });
    expect(afterEnding(ending, state("stop"))).toEqual({ end: ending });
    expect(afterEnding(ending, state("ignore_error"))).toEqual({ end: "unstable" });
    expect(afterEnding(ending, state("retry", 1))).toEqual({ again: true });
    expect(afterEnding(ending, state("retry", 2))).toEqual({ end: ending });
    expect(afterEnding(ending, state("manual_check"))).toEqual({ ask: true });
  });

  test.each(["passed", "cancelled", "reject", "skipped"] as const)("say nothing about a job that is %s", (ending) => {
    for (const policy of ["stop", "ignore_error", "retry", "manual_check"])
      expect(afterEnding(ending, state(policy))).toEqual({ end: ending });
  });
});

describe("execute policies (contract W 1.4, 8.5)", () => {
  const verbs: [string, string, string, boolean][] = [
    ["=", "main", "main", true],
    ["=", "main", "mai", false],
    ["!=", "main", "dev", true],
    ["begins_with", "release-1", "release", true],
    ["not_begins_with", "release-1", "release", false],
    ["ends_with", "release-1", "-1", true],
    ["not_ends_with", "release-1", "-1", false],
    ["contains", "release-1", "ease", true],
    ["not_contains", "release-1", "ease", false],
    ["unknown", "a", "a", false],
  ];

  test.each(verbs)("%s of %s and %s is %s", (verb, field, value, holds) => {
    const policy = { matchRule: "all", rules: [{ field, verb, value }] };
    expect(isSkipped({ type: "skip", ...policy })).toBe(holds);
    expect(isSkipped({ type: "execute", ...policy })).toBe(!holds);
  });

  test("all rules must hold, or any", () => {
    const rules = [
      { field: "a", verb: "=", value: "a" },
      { field: "a", verb: "=", value: "b" },
    ];
    expect(isSkipped({ type: "skip", matchRule: "all", rules })).toBe(false);
    expect(isSkipped({ type: "skip", matchRule: "any", rules })).toBe(true);
    expect(isSkipped({ type: "", matchRule: "any", rules })).toBe(false);
  });
});

describe("native approvals (contract W 8.6)", () => {
  const approver = (userId: string, decision: "" | "approve" | "reject" = "") => ({
    ...{ userId, userName: userId, decision, comment: "", decidedAt: 0 },
  });
  const approval = (neededApprovers: number, ...approvers: Approval["approvers"]): Approval => ({
    neededApprovers,
    approvers,
  });
  const say = { approve: true, comment: "fine", at: 7 };

  test.each([
    ["nobody is needed, and nobody approved", approval(0), undefined],
    ["nobody has decided", approval(1, approver("ada")), undefined],
    ["enough approve", approval(2, approver("ada", "approve"), approver("bob", "approve")), "passed"],
    ["one of two approves", approval(2, approver("ada", "approve"), approver("bob")), undefined],
    ["one rejects", approval(1, approver("ada", "approve"), approver("bob", "reject")), "reject"],
    ["more are needed than there are", approval(3, approver("ada", "approve")), undefined],
  ])("%s", (_, given, outcome) => {
    expect(approvalOutcome(given)).toBe(outcome);
  });

  test("each approver decides once, and nobody else does", () => {
    const after = decided(approval(2, approver("ada"), approver("bob")), { uid: "ada", name: "Ada" }, say);
    expect(after).toMatchObject({
      approvers: [{ userId: "ada", decision: "approve", comment: "fine", decidedAt: 7 }, { decision: "" }],
    });
    const again = typeof after === "string" ? "" : decided(after, { uid: "ada", name: "Ada" }, say);
    expect(again).toBe("Ada have approve already");
    expect(decided(approval(1), { uid: "eve", name: "Eve" }, say)).toBe("user Eve has no authority to Approve");
  });
});

describe("variables (contract W 6)", () => {
  const known = new Map([
    ["project", "shop"],
    ["job.empty", ""],
    ["job.later", "{{.job.build.output.TAG}}"],
  ]);

  test("early: known ones are replaced; empty ones and those that are variables stay", () => {
    expect(
      renderEarly(
        { a: "x-{{.project}}-{{ .project }}", b: ["{{.job.empty}}", "{{.job.later}}", "{{.job.other}}"] },
        known,
      ),
    ).toEqual({
      a: "x-shop-shop",
      b: ["{{.job.empty}}", "{{.job.later}}", "{{.job.other}}"],
    });
  });

  test("late: whatever nobody knows is empty; <+fixed> is a text like any other", () => {
    expect(renderLate("{{.project}}|{{.job.other}}|{{.other}}|<+fixed>|{{ not one }}", known)).toBe(
      "shop||{{.other}}|<+fixed>|{{ not one }}",
    );
  });

  test("keys of objects and values that are no texts stay", () => {
    expect(renderLate({ "{{.project}}": 1, list: [true, null] }, known)).toEqual({
      "{{.project}}": 1,
      list: [true, null],
    });
  });

  test("<SERVICE> and <MODULE> in a path are the job's own", () => {
    expect(withServiceModule("{{.job.build.<SERVICE>.<MODULE>.output.IMAGE}} <SERVICE>", "shop", "web")).toBe(
      "{{.job.build.shop.web.output.IMAGE}} <SERVICE>",
    );
  });
});
