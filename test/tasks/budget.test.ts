import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { controlPlane } from "../../shared/reports/costs/rules/controlPlane.ts";
import { together } from "../../shared/reports/costs/rules/used.ts";
import { findWorkflow } from "../../shared/workflows/saved/store/workflows.ts";
import { addHistory } from "../harness/addHistory.ts";
import { definedRequests, definedTransitions, type StageShape } from "../harness/definedTransitions.ts";
import type { Slipway } from "../harness/slipway.ts";
import { leastTaskCosts } from "../harness/taskCosts.ts";
import { makeGates, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

/** Jobs of each stage, and what the task takes at most, the call that starts it and its operation log included; three events for those who follow
 * (decision 131), a look whether somebody follows it by a socket at each of them and at each change of a job that is shown
 * (decision 207), and what the day cost (decision 135) among them. */
const budgets = [
  { stages: [1], trips: 51, units: 112 },
  { stages: [2], trips: 63, units: 130 },
  { stages: [5], trips: 99, units: 201 },
  { stages: [1, 1], trips: 67, units: 136 },
  { stages: [1, 1, 1, 1, 1], trips: 115, units: 229 },
];

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** What the detail of the first task of a workflow says that it used. */
async function shownParts(workflow: string): Promise<Record<string, { amount: number } | undefined>> {
  const task = (await tasks.read(workflow, 1)) as ShownTask & { cost: { parts: Record<string, { amount: number }> } };
  return task.cost.parts;
}

/** What is told of units stays right within a fifth. */
function isAbout(told: number | undefined, taken: number, what: string): void {
  expect((told ?? 0) / taken, `${what}: ${told} told, ${taken} taken`).toBeGreaterThan(0.8);
  expect((told ?? 0) / taken, `${what}: ${told} told, ${taken} taken`).toBeLessThan(1.2);
}

test("a job takes at most six transitions and a stage four, in the definitions", () => {
  const transitions = (...jobs: number[]): number => definedTransitions(jobs.map((one) => ({ jobs: one })));
  expect(transitions(1, 2) - transitions(1, 1)).toBeLessThanOrEqual(6);
  expect(transitions(2, 5) - transitions(2, 0)).toBeLessThanOrEqual(5 * 6);
  expect(transitions(1, 0) - transitions(1)).toBeLessThanOrEqual(4);
  expect(definedTransitions([{ jobs: 0, hasApproval: true }]) - transitions()).toBeLessThanOrEqual(4);
});

test("what a task is said to use of machines and functions follows from the definitions", () => {
  const of = (stages: readonly StageShape[]) => {
    const jobs = stages.flatMap((stage) => Array.from({ length: stage.jobs }, () => controlPlane.job));
    const approvals = stages.flatMap(({ hasApproval }) => (hasApproval ? [controlPlane.approval] : []));
    return together(controlPlane.execution, ...stages.map(() => controlPlane.stage), ...approvals, ...jobs);
  };
  const shapes: StageShape[][] = [
    [{ jobs: 1 }],
    [{ jobs: 2 }, { jobs: 1 }],
    [{ jobs: 1, hasApproval: true }, { jobs: 3 }],
  ];
  for (const stages of shapes) {
    // The call that starts the task, and those that decide, are requests of no machine.
    const calls = 1 + stages.filter(({ hasApproval }) => hasApproval).length;
    expect(of(stages)).toMatchObject({
      transitions: definedTransitions(stages),
      lambdaRequests: definedRequests(stages) + calls,
    });
  }
});

test("a task takes the transitions that the definitions say, and no more of the table than is known", async () => {
  const lines = ["A task by the jobs of its stages: transitions, round trips and units, other AWS calls"];
  for (const [at, { stages, trips, units }] of budgets.entries()) {
    await makeGates("shop", `gates-${at}`, stages);
    const costs = await leastTaskCosts(slipway.runtime.aws, () => tasks.started(`gates-${at}`, []));
    lines.push(
      `  ${stages.join(" ").padEnd(10)} ${costs.transitions}  ${costs.trips} ${costs.units}  ${costs.awsCalls}`,
    );
    const what = `stages of ${stages.join(", ")} jobs`;
    expect(costs.transitions, what).toBe(definedTransitions(stages.map((jobs) => ({ jobs }))));
    expect(costs.trips, what).toBeLessThanOrEqual(trips);
    expect(costs.units, what).toBeLessThanOrEqual(units);
    const { transitions, read_units, write_units } = await shownParts(`gates-${at}`);
    expect(transitions?.amount, what).toBe(costs.transitions);
    isAbout(read_units?.amount, costs.readUnits, what);
    isAbout(write_units?.amount, costs.units - costs.readUnits, what);
  }
  console.log(lines.join("\n"));
});

test("a task takes the same with a thousand tasks before it", async () => {
  await makeGates("shop", "old", [2, 1]);
  const start = () => tasks.started("old", []);
  const before = await leastTaskCosts(slipway.runtime.aws, start);
  await addHistory((await findWorkflow("old"))?.workflowId ?? "", 1000);
  expect(await start()).toBe(1001);
  await tasks.end("old", 1001);
  expect(await leastTaskCosts(slipway.runtime.aws, start)).toEqual(before);
});
