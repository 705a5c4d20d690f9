import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { passing } from "../harness/passingApprovals.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** Fails at once: a kind that nothing runs. */
const failing = (name: string, more: object = {}) => ({
  name,
  type: "freestyle",
  spec: { script: "true", script_type: "powershell" },
  ...more,
});
const jobStatuses = ({ stages }: ShownTask) => stages.map(({ jobs }) => jobs.map(({ status }) => status));
const stageStatuses = ({ stages }: ShownTask) => stages.map(({ status }) => status);

describe("a job that runs by rules (contract W 1.4, 8.5)", () => {
  const rule = (field: string, verb: string, value: string) => ({ field, verb, value });
  const branch = "{{.workflow.params.BRANCH}}";
  const status = "{{.job.before.status}}";
  const policy = (type: string, match_rule: string, ...rules: object[]) => ({ type, match_rule, rules });
  const isRelease = rule(branch, "begins_with", "release");
  const isMain = rule(branch, "=", "main");

  test.concurrent.each([
    ["skip, and its rules match", policy("skip", "all", isRelease), "skipped"],
    ["skip, and its rules do not match", policy("skip", "all", isMain), "passed"],
    ["execute, and its rules match", policy("execute", "all", isRelease), "passed"],
    ["execute, and its rules do not match", policy("execute", "all", isMain), "skipped"],
    ["skip, and not all of its rules match", policy("skip", "all", isRelease, isMain), "passed"],
    ["skip, and any of its rules matches", policy("skip", "any", isMain, isRelease), "skipped"],
    ["skip, and a job before it ended so", policy("skip", "all", rule(status, "=", "unstable")), "skipped"],
    ["execute, and a job before it ended otherwise", policy("execute", "all", rule(status, "=", "passed")), "skipped"],
    [
      "execute, and what it asks for is unknown",
      policy("execute", "all", rule("{{.job.no.status}}", "!=", "")),
      "skipped",
    ],
  ])("%s", async (what, execute_policy, ending) => {
    const name = what.replaceAll(/[^a-z]+/g, "-");
    await makeWorkflow("shop", {
      name,
      params: [{ name: "BRANCH", type: "string", value: "main", source: "runtime" }],
      stages: [
        { name: "one", jobs: [failing("before", { error_policy: { policy: "ignore_error" } })] },
        { name: "two", jobs: [{ ...gate("asked"), execute_policy }] },
        { name: "three", jobs: [gate("last")] },
      ],
    });
    const parameters = [{ name: "BRANCH", type: "string", value: "release-1" }];
    const task = await tasks.end(name, await tasks.started(name, ["before", "asked", "last"], { parameters }));
    expect(jobStatuses(task)).toEqual([["unstable"], [ending], ["passed"]]);
    // A stage whose only job is skipped is skipped, and a task goes on after it.
    expect([task.status, ...stageStatuses(task)]).toEqual(["passed", "unstable", ending, "passed"]);
  });
});

describe("which jobs run (contract W 1.4, 2.4)", () => {
  const ask = (run_policy: string) => ({ name: "ask", type: "approval", spec: passing, run_policy });
  const work = (run_policy: string) => failing("work", { run_policy });

  test.concurrent.each([
    ["a job that is named runs", [work(""), ask("")], ["work"], ["work", "ask"]],
    [
      "a job that is not named is absent, an approval is there",
      [work(""), failing("more"), ask("")],
      ["more"],
      ["more", "ask"],
    ],
    ["where nothing else is, an approval needs no name", [ask("")], [], ["ask"]],
    ["preselected as skipped, it runs when it is named", [work("default_not_run"), ask("")], ["work"], ["work", "ask"]],
    ["an approval that is preselected as skipped is absent", [work(""), ask("default_not_run")], ["work"], ["work"]],
    ["an approval that is preselected as skipped is named", [work(""), ask("default_not_run")], ["ask"], ["ask"]],
    ["what must run runs when it is named", [work("force_run"), ask("force_run")], ["work"], ["work", "ask"]],
    ["a job that nobody has heard of is ignored", [work(""), ask("")], ["work", "other"], ["work", "ask"]],
  ])("%s", async (what, jobs, named, present) => {
    const name = what.replaceAll(/[^a-z]+/g, "-");
    await makeWorkflow("shop", { name, concurrency_limit: 0, stages: [{ name: "one", jobs }] });
    const task = await tasks.read(name, await tasks.started(name, named));
    expect(task.stages.flatMap((stage) => stage.jobs.map(({ origin_name }) => origin_name))).toEqual(present);
  });

  test("what must run may not be left out, and a start needs at least one job", async () => {
    const stages = [{ name: "one", jobs: [work("force_run"), failing("other")] }];
    await makeWorkflow("shop", { name: "forced", stages });
    expect((await tasks.start("forced", ["other"])).json).toMatchObject({
      code: 6160,
      description: "job work skipped, but the run policy is set to force run",
    });
    await makeWorkflow("shop", { name: "empty", stages: [{ name: "one", jobs: [failing("other")] }] });
    const empty = await tasks.start("empty", []);
    expect(empty.json).toMatchObject({
      code: 6160,
      description: expect.stringContaining("no stage found in workflow task"),
    });
  });

  test("inputs that name no job of the workflow are refused, also where an approval would run", async () => {
    await makeWorkflow("shop", { name: "asking", stages: [{ name: "one", jobs: [work(""), ask("")] }] });
    const refusal = {
      code: 6160,
      description: "no stage found in workflow task: inputs name no job of the workflow, which has work, ask",
    };
    expect((await tasks.start("asking", ["other"])).json).toMatchObject(refusal);
    expect((await tasks.start("asking", [])).json).toMatchObject(refusal);
    expect((await tasks.start("asking", [], { inputs: undefined })).json).toMatchObject(refusal);
  });

  test("stages without jobs are absent; indices count skipped jobs and stages (contract W 4.2, 4.3)", async () => {
    const stages = [
      { name: "one", jobs: [failing("a")] },
      { name: "two", jobs: [failing("b"), gate("c")] },
    ];
    await makeWorkflow("shop", { name: "counted", concurrency_limit: 0, stages });
    const task = await tasks.read("counted", await tasks.started("counted", ["c"]));
    expect(task.stages.map(({ name, jobs }) => [name, ...jobs.map((job) => job.name)])).toEqual([
      ["two", "job-1-1-0-c"],
    ]);
  });
});

describe("how stages and tasks end by their jobs (contract W 8.5)", () => {
  const unstable = (name: string) => failing(name, { error_policy: { policy: "ignore_error" } });
  const skipped = (name: string) => ({
    ...gate(name),
    execute_policy: { type: "skip", match_rule: "all", rules: [{ field: "a", verb: "=", value: "a" }] },
  });
  const stage = (parallel: boolean, ...jobs: object[]) => ({ parallel, jobs });
  type Row = [what: string, stages: ReturnType<typeof stage>[], jobs: string[][], stages: string[], task: string];
  const table: Row[] = [
    [
      "serial: nothing follows a job that failed",
      [stage(false, gate("a"), failing("b"), gate("c")), stage(false, gate("d"))],
      [["passed", "failed", ""], [""]],
      ["failed", ""],
      "failed",
    ],
    [
      "parallel: all run, and the stage ends as the highest",
      [stage(true, failing("a"), gate("b"), unstable("c")), stage(true, gate("d"))],
      [["failed", "passed", "unstable"], [""]],
      ["failed", ""],
      "failed",
    ],
    [
      "passed stands above unstable and skipped",
      [stage(true, gate("a"), unstable("b"), skipped("c"))],
      [["passed", "unstable", "skipped"]],
      ["passed"],
      "passed",
    ],
    [
      "unstable stands above skipped, and such a task passed",
      [stage(true, unstable("a"), skipped("b")), stage(false, unstable("c"))],
      [["unstable", "skipped"], ["unstable"]],
      ["unstable", "unstable"],
      "passed",
    ],
    ["a task of skipped jobs passed", [stage(false, skipped("a"))], [["skipped"]], ["skipped"], "passed"],
  ];

  test.concurrent.each(table)("%s", async (what, stages, jobs, ofStages, ofTask) => {
    const name = what.replaceAll(/[^a-z]+/g, "-");
    await makeWorkflow("shop", { name, stages: stages.map((one, at) => ({ name: `stage-${at}`, ...one })) });
    const named = stages.flatMap((one) => one.jobs.map((job) => (job as { name: string }).name));
    const task = await tasks.end(name, await tasks.started(name, named));
    expect(jobStatuses(task)).toEqual(jobs);
    expect(stageStatuses(task)).toEqual(ofStages);
    expect([task.status, task.error]).toEqual([ofTask, undefined]);
  });
});
