import type { ShownTask } from "../harness/tasks.ts";
import {
  askedStages,
  beside,
  checkedByJob,
  inSteps,
  lookedAt,
  makeFlow,
  prepareRollout,
  type RolloutJob,
} from "./rolloutJobs.ts";
import { rolloutsTakenBack } from "./rolloutsTakenBack.ts";
import { type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";

/** The jobs of each kind, one after the other. */
const kinds: Readonly<Record<string, RolloutJob[]>> = {
  "blue-green": beside["blue-green"](),
  canary: beside.canary(),
  "looked-at": beside["blue-green"]([{ name: "pods" }]),
  "looked-at canary": beside.canary([{ name: "pods" }, checkedByJob]),
  "looked-at gray": lookedAt([{ name: "pods" }], inSteps.gray(50, 100)),
  "looked-at istio": lookedAt([{ name: "pods" }], inSteps.istio(50, 100)),
  gray: inSteps.gray(50, 80, 100),
  istio: inSteps.istio(50, 80, 100),
};

/** Whatever is killed, the traffic is at the workload in the end, with the new image, and nothing stands beside it. */
const rollouts: readonly Scenario[] = Object.entries(kinds).map(([kind, jobs]) => ({
  name: `${kind} rollout`,
  prepare: async (slipway) => {
    await prepareRollout(slipway, jobs);
    await makeFlow(slipway, [{ name: "all", jobs }]);
  },
  request: (slipway) => taskCalls(slipway).start(...jobs.map(({ name }) => name)),
  check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
}));

interface Held extends ShownTask {
  stages: (ShownTask["stages"][number] & { jobs: { hold?: { stands: string } }[] })[];
}
const holdOf = (task: ShownTask) => (task as Held).stages[1]?.jobs[0]?.hold;

/** A release is held before somebody executes its stage, stands still, and is let go on. */
const held: Scenario = {
  name: "held rollout",
  prepare: async (slipway) => {
    await prepareRollout(slipway, []);
    await makeFlow(slipway, askedStages(beside.canary()));
  },
  request: (slipway) => taskCalls(slipway).start("deploy", "release"),
  goOn: async (slipway) => {
    const tasks = taskCalls(slipway);
    if ((await tasks.count()) === 0) return;
    const found = await tasks.until("the question", 1, (task) => {
      return task.status === "pause" || task.end_time !== undefined || holdOf(task) !== undefined;
    });
    if (found.status === "pause") {
      await succeed(tasks.control(1, "release", "pause"));
      const path = `/openapi/workflows/custom/${flow}/task/1/manual-exec?projectKey=shop`;
      await succeed(slipway.call("POST", path, { body: { stage_name: "shift" } }));
    }
    const isHeld = found.status === "pause" || holdOf(found) !== undefined;
    if (isHeld) {
      await tasks.until("the hold", 1, (task) => holdOf(task)?.stands === "before");
      await succeed(tasks.control(1, "release", "promote"));
    }
    await tasks.until("the end", 1, ({ status, end_time }) => status === "passed" && end_time !== undefined);
  },
  check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
};

export const rolloutScenarios: readonly Scenario[] = [...rollouts, held, ...rolloutsTakenBack];
