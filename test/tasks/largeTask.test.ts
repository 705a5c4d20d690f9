import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { failingDeployment } from "../harness/failingDeployments.ts";
import type { Slipway } from "../harness/slipway.ts";
import { leastTaskCosts } from "../harness/taskCosts.ts";
import { gate, makeGates, makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 300_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

test("the steps of a job read as much in a task of many jobs as in one of few", async () => {
  const readUnits = async (jobs: number): Promise<number> => {
    await makeGates("shop", `gates-${jobs}`, [jobs]);
    return (await leastTaskCosts(slipway.runtime.aws, () => tasks.started(`gates-${jobs}`, []))).readUnits;
  };
  const perJob = async (fewer: number, more: number) =>
    ((await readUnits(more)) - (await readUnits(fewer))) / (more - fewer);
  const [few, many] = [await perJob(5, 15), await perJob(45, 75)];
  console.log(`read units a job: ${few.toFixed(1)} with 5 to 15 jobs, ${many.toFixed(1)} with 45 to 75`);
  expect(many / few).toBeLessThanOrEqual(2);
});

/** More jobs than a step reads at once. */
const crowd = (count: number) => Array.from({ length: count }, (_, at) => gate(`gate-${at}`));

test.each([
  ["one after the other", false],
  ["beside each other", true],
])("a job of a large task knows how an early one ended: jobs run %s", async (how, parallel) => {
  const name = `knows-${parallel}`;
  const rules = (value: string) => [{ field: "{{.job.gate-0.status}}", verb: "=", value }];
  const asking = (job: string, value: string) => ({
    ...gate(job),
    execute_policy: { type: "execute", match_rule: "all", rules: rules(value) },
  });
  const last = { name: "last", parallel, jobs: [asking("zz-runs", "passed"), asking("zz-skips", "failed")] };
  await makeWorkflow("shop", { name, stages: [{ name: how, parallel, jobs: crowd(60) }, last] });
  const { status, stages } = await tasks.end(name, await tasks.started(name, []), 120);
  expect(status).toBe("passed");
  expect(stages[0]?.jobs.every((job) => job.status === "passed")).toBe(true);
  expect(stages[1]?.jobs.map((job) => job.status)).toEqual(["passed", "skipped"]);
});

test("of jobs that follow each other none begins behind one that failed, however many come first", async () => {
  const failing = { name: "failing", type: "deploy", spec: failingDeployment };
  // As many as a request plans, whose start reaches the job that cannot run.
  const jobs = [...crowd(44), failing, ...crowd(49).slice(44)];
  await makeWorkflow("shop", { name: "stops", stages: [{ name: "one", jobs }] });
  const task = await tasks.end(
    "stops",
    await tasks.started(
      "stops",
      jobs.map(({ name }) => name),
    ),
    120,
  );
  expect(task.status).toBe("failed");
  const statuses = task.stages[0]?.jobs.map(({ status }) => status) ?? [];
  expect(statuses.slice(0, 44).every((status) => status === "passed")).toBe(true);
  expect(statuses.slice(44)).toEqual(["failed", "", "", "", "", ""]);
});
