import {
  askedStages,
  beside,
  inSteps,
  lookedAt,
  makeFlow,
  prepareRollout,
  type RolloutJob,
  rollback,
} from "./rolloutJobs.ts";
import { type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";

type InSteps = keyof typeof inSteps;
const kindsInSteps = Object.keys(inSteps) as InSteps[];
const kindsBeside = Object.keys(beside) as (keyof typeof beside)[];

const names = (jobs: readonly RolloutJob[]): string[] => jobs.map(({ name }) => name);

/** Fails when everything is as it should be. */
const doubted = [{ name: "none", failure: "== 0" }];

/** A task that fails with these words. */
function failing(name: string, jobs: readonly RolloutJob[], words: string): Scenario {
  return {
    name,
    prepare: async (slipway) => {
      await prepareRollout(slipway, jobs);
      await makeFlow(slipway, [{ name: "all", jobs }]);
    },
    request: (slipway) => taskCalls(slipway).start(...names(jobs)),
    check: async (slipway) => {
      const task = await taskCalls(slipway).read(1);
      const told = task.stages[0]?.jobs.some(({ error }) => error.includes(words));
      if (task.status !== "failed" || told !== true) throw new Error(JSON.stringify(task));
    },
  };
}

/** What is looked at is found wanting: the workload is what it was, and has the traffic. */
const foundWanting = [
  ...kindsBeside.map((kind) => [kind, beside[kind](doubted)] as const),
  ...kindsInSteps.map((kind) => [kind, lookedAt(doubted, inSteps[kind](50, 100))] as const),
].map(([kind, jobs]) => failing(`${kind} rollout found wanting`, jobs, "analysis none failed at 1 of 1 looks"));

/** A release that its own task takes back between two of its steps; there is nothing that the last one could do. */
const takenBack = kindsInSteps.map((kind) => {
  const [deploy, release] = inSteps[kind](50, 100) as [RolloutJob, RolloutJob];
  return failing(`${kind} rollout taken back by its task`, [deploy, rollback[kind], release], "taken back");
});

/** A release that is complete, and undone by another task. */
const rolledBack = kindsInSteps.map((kind): Scenario => {
  const jobs = inSteps[kind](50, 100);
  const former = "forward";
  return {
    name: `${kind} rollout rolled back later`,
    prepare: async (slipway) => {
      await prepareRollout(slipway, jobs);
      await makeFlow(slipway, [{ name: "all", jobs }], former);
      const tasks = taskCalls(slipway, "shop", former);
      await succeed(tasks.start(...names(jobs)));
      await tasks.until("the release", 1, ({ end_time }) => end_time !== undefined);
      await tasks.mustHavePassed(former, 1);
      await makeFlow(slipway, [{ name: "all", jobs: [rollback[kind]] }]);
    },
    request: (slipway) => taskCalls(slipway).start("back"),
    check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
  };
});

const kindsAborted: Readonly<Record<string, RolloutJob[]>> = {
  "blue-green": beside["blue-green"](),
  gray: inSteps.gray(50, 100),
  istio: inSteps.istio(50, 100),
};

/** Somebody aborts what waits for its next step: the task is cancelled, and the reconciler takes the rollout back. */
const aborted = Object.entries(kindsAborted).map(
  ([kind, jobs]): Scenario => ({
    name: `${kind} rollout aborted`,
    prepare: async (slipway) => {
      await prepareRollout(slipway, jobs);
      await makeFlow(slipway, askedStages(jobs));
    },
    request: (slipway) => taskCalls(slipway).start(...names(jobs)),
    goOn: async (slipway) => {
      const tasks = taskCalls(slipway);
      if ((await tasks.count()) === 0) return;
      const found = await tasks.until("the question", 1, ({ status }) => status === "pause" || status === "cancelled");
      if (found.status === "pause") await succeed(tasks.control(1, "release", "abort"));
      await tasks.until("the end", 1, ({ status, end_time }) => status === "cancelled" && end_time !== undefined);
    },
  }),
);

/** Rollouts that somebody or something ends before their time, or after: the workload is what it was before, once. */
export const rolloutsTakenBack: readonly Scenario[] = [...foundWanting, ...takenBack, ...rolledBack, ...aborted];
