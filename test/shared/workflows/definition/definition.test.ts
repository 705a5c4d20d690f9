import { describe, expect, test } from "vitest";
import { concurrencyLimitOf, workflowDefinition } from "../../../../shared/workflows/definition/definition.ts";

const minimal = { name: "release", project: "demo" };

describe("a workflow definition (contract W 1.1)", () => {
  test("needs its key and its project, and nothing else", () => {
    expect(workflowDefinition.parse(minimal)).toMatchObject({ ...minimal, params: [], stages: [] });
    const paths = workflowDefinition.safeParse({}).error?.issues.map(({ path }) => path.join("."));
    expect(paths).toEqual(["name", "project"]);
  });

  test("reads null as an empty list, as programs in Go send it", () => {
    const stages = [{ name: "build", jobs: null, manual_exec: { manual_exec_users: null } }];
    const read = workflowDefinition.parse({ ...minimal, params: null, stages, notify_ctls: null });
    expect(read.params).toEqual([]);
    expect(read.stages[0]).toMatchObject({ jobs: [], manual_exec: { manual_exec_users: [] } });
  });

  test("keeps fields, job types and specs that it does not know", () => {
    const job = { name: "pay", type: "vendor-check", spec: { deep: [{ er: 1 }] }, vendor: true };
    const stage = { name: "s", jobs: [job], color: "red" };
    const read = workflowDefinition.parse({ ...minimal, stages: [stage], x: { y: null } });
    expect(read).toMatchObject({ stages: [stage], x: { y: null } });
  });

  test("reads both spellings of an approval", () => {
    const approval = { enabled: true, native_approval: { Timeout: 5, NeededApprovers: 2, approve_users: [] } };
    const read = workflowDefinition.parse({ ...minimal, stages: [{ name: "s", approval }] });
    expect(read.stages[0]?.approval).toMatchObject(approval);
  });

  test.each([
    [{ stages: [{ name: "s", jobs: [{ name: "j", type: "x", run_policy: "never" }] }] }, "stages.0.jobs.0.run_policy"],
    [{ stages: [{ name: "s", jobs: [{ name: "j", type: "x", spec: [] }] }] }, "stages.0.jobs.0.spec"],
    [{ stages: [{ jobs: [] }] }, "stages.0.name"],
    [{ stages: "none" }, "stages"],
    [{ concurrency_limit: -2 }, "concurrency_limit"],
    [{ concurrency_limit: 1.5 }, "concurrency_limit"],
    [{ category: "other" }, "category"],
    [{ params: [{ value: "x" }] }, "params.0.name"],
  ])("refuses %j by its place", (wrong, path) => {
    const issues = workflowDefinition.safeParse({ ...minimal, ...wrong }).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test.each([
    [undefined, 1],
    [null, 1],
    [0, 0],
    [-1, -1],
    [7, 7],
  ])("takes a concurrency_limit of %s for %d", (concurrency_limit, limit) => {
    expect(concurrencyLimitOf({ concurrency_limit })).toBe(limit);
  });
});
