import { describe, expect, test } from "vitest";
import {
  jobTypes,
  newWorkflowText,
  readWorkflow,
  withJob,
  without,
  withStage,
  withStageEarlier,
} from "../../console/src/workflowText.ts";
import { workflowDefinition } from "../../shared/workflows/definition/definition.ts";
import { isJobType } from "../../shared/workflows/definition/jobKinds.ts";
import { lintDefinition } from "../../shared/workflows/definition/lint.ts";

const text = `# who asks for it: the shop
name: ship
project: shop
stages:
  - name: build # with care
    parallel: true
    jobs:
      - name: compile
        type: freestyle
        spec:
          script: make
  - name: ask
    manual_exec: { enabled: true }
    jobs: []
`;

describe("a workflow as a text says it", () => {
  test("shows its stages and jobs, and finds the line of each path", () => {
    const { stages, marks, lineOf } = readWorkflow(text);
    expect(marks).toEqual([]);
    expect(stages).toEqual([
      { name: "build", parallel: true, waits: false, jobs: [{ name: "compile", type: "freestyle" }] },
      { name: "ask", parallel: false, waits: true, jobs: [] },
    ]);
    const lines = ["name", "stages[0]", "stages[0].jobs[0]", "stages[0].jobs[0].spec.script", "stages[1].manual_exec"];
    expect(lines.map(lineOf)).toEqual([2, 5, 8, 11, 13]);
    // What is not there stands where it would be.
    expect(["stages[0].jobs[0].spec.runtime.build_os", "stages[7]", "nothing"].map(lineOf)).toEqual([10, 4, 1]);
  });

  test("says what is wrong with it, and shows nothing of what is no mapping", () => {
    const broken = readWorkflow("name: ship\nstages: [\n");
    expect(broken.definition).toBeUndefined();
    expect(broken.marks.map(({ line }) => line)).toContain(3);
    expect(readWorkflow("- a\n- b\n")).toMatchObject({ definition: undefined, stages: [] });
    expect(readWorkflow("stages: 7\nname: [x]\n").stages).toEqual([]);
    const names = [..."abcdefgh"];
    const laughs = names.map(
      (name, at) => `${name}: &${name} [${Array(9).fill(at === 0 ? "x" : `*${names[at - 1]}`)}]`,
    );
    expect(readWorkflow(laughs.join("\n")).definition).toBeUndefined();
  });

  test("is changed by the graph, and keeps its comments", () => {
    const more = withJob(withStage(text), 1, "approval");
    expect(readWorkflow(more).stages.map(({ name, jobs }) => [name, ...jobs.map((job) => job.type)])).toEqual([
      ["build", "freestyle"],
      ["ask", "approval"],
      ["stage-3"],
    ]);
    expect(more).toContain("# who asks for it: the shop\n");
    expect(more).toContain("name: build # with care\n");
    const moved = readWorkflow(withStageEarlier(more, 1)).stages.map(({ name }) => name);
    expect(moved).toEqual(["ask", "build", "stage-3"]);
    expect(readWorkflow(without(more, 2)).stages).toHaveLength(2);
    expect(readWorkflow(without(more, 0, 0)).stages[0]?.jobs).toEqual([]);
    expect(readWorkflow(withJob(text, 0, "freestyle")).stages[0]?.jobs.map(({ name }) => name)).toEqual([
      "compile",
      "job-2",
    ]);
    expect(readWorkflow(withStage("name: bare\n")).stages).toHaveLength(1);
  });

  test("begins as one that can be saved, with kinds of jobs that there are", () => {
    expect(jobTypes.filter((type) => !isJobType(type))).toEqual([]);
    const whole = withJob(newWorkflowText("shop"), 0, "freestyle");
    expect(lintDefinition(workflowDefinition.parse(readWorkflow(whole).definition))).toEqual([]);
    expect(whole).toContain("script: |\n");
  });
});
