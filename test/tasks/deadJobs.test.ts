import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as jobTasks } from "../../functions/engine/job/handler.ts";
import { handler as reconcile } from "../../functions/triggers/reconciler/handler.ts";
import { adapters, provideAdapters } from "../../shared/base/aws/adapters.ts";
import { manyExecutions, stopExecution } from "../../shared/base/aws/states/stateMachines.ts";
import { config } from "../../shared/base/settings/config.ts";
import { table } from "../../shared/base/store/table.ts";
import type { Item } from "../../shared/base/store/tableClient.ts";
import { update } from "../../shared/base/store/writes.ts";
import { findWholeTask, type WholeTask } from "../../shared/workflows/records/findTasks.ts";
import { changeJob } from "../../shared/workflows/records/records.ts";
import type { JobRecord } from "../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { aroundAdapters, recordAwsCalls } from "../harness/awsCalls.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  slipway = await startSlipway();
  tasks = tasksOf(slipway, "shop");
  const body = { project_name: "shop", project_key: "shop", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const script = (name: string, text: string) => ({
  ...{ name, type: "freestyle" },
  spec: { steps: [{ name: "shell", type: "shell", spec: { scripts: [text] } }] },
});

async function wholeOf(workflow: string, taskId: number): Promise<WholeTask> {
  const owner = await findTaskOwner(workflow);
  const found = await findWholeTask(owner?.id ?? "", taskId);
  if (found === undefined) throw new Error("there is no such task");
  return found;
}

const executionOf = ({ jobId, attempt }: JobRecord): string => `${jobId}-${attempt}`;

/** As if the job had begun more than a minute ago, since when nobody looks after it but the reconciler. */
async function age(workflow: string, taskId: number): Promise<void> {
  const whole = await wholeOf(workflow, taskId);
  for (const job of whole.jobs)
    await table().write(changeJob(whole.task, job, { set: { startTime: job.startTime - 120 } }));
}

describe("the execution of a job that ends by itself", () => {
  test.each([
    ["one job", 1],
    ["three jobs at once", 3],
  ])("is replaced by the reconciler, and the task passes: %s", async (name, count) => {
    const workflow = `stopped-${count}`;
    const jobs = Array.from({ length: count }, (_, at) => script(`one-${at}`, "sleep 2"));
    await makeWorkflow("shop", { name: workflow, stages: [{ name, parallel: true, jobs }] });
    const taskId = await tasks.started(
      workflow,
      jobs.map((job) => job.name),
    );
    const begun = await waitFor("the jobs to run", async () => {
      const whole = await wholeOf(workflow, taskId);
      return whole.jobs.length === count && whole.jobs.every(({ status }) => status === "running") && whole;
    });
    for (const job of begun.jobs) await stopExecution(config().SLIPWAY_JOB_ARN, executionOf(job), "an operator");
    // One that has begun just now may not have been found yet.
    await reconcile();
    expect((await wholeOf(workflow, taskId)).jobs.map(({ attempt }) => attempt)).toEqual(begun.jobs.map(() => 1));
    await age(workflow, taskId);
    await reconcile();
    expect((await tasks.end(workflow, taskId)).status).toBe("passed");
    expect((await wholeOf(workflow, taskId)).jobs.map(({ attempt }) => attempt)).toEqual(begun.jobs.map(() => 2));
  });

  test("that gives the job up says that the platform failed, and not the job", async () => {
    const ended = async (text: string, giveUp = async (_one: JobRecord): Promise<unknown> => undefined) => {
      await makeWorkflow("shop", {
        name: text.replace(" ", "-"),
        stages: [{ name: "only", jobs: [script("one", text)] }],
      });
      const workflow = text.replace(" ", "-");
      const taskId = await tasks.started(workflow, ["one"]);
      await giveUp(
        await waitFor("the job to run", async () => {
          const [job] = (await wholeOf(workflow, taskId)).jobs;
          return job !== undefined && job.status !== "" && job.status !== "prepare" && job;
        }),
      );
      const [stage] = (await tasks.end(workflow, taskId)).stages;
      return stage?.jobs[0];
    };
    const own = await ended("exit 1");
    expect(own?.status).toBe("failed");
    expect(own).not.toHaveProperty("failure");
    const run = async (name: string) => ({
      ownerId: (await findTaskOwner("sleep-20"))?.id ?? "",
      taskId: 1,
      job: name,
    });
    const given = await ended("sleep 20", async ({ name }) =>
      jobTasks({ task: "giveUp", ...(await run(name)), error: "the table does not answer" }),
    );
    expect(given).toMatchObject({ status: "failed", failure: "platform" });
    expect(given?.error).toMatch(/^the platform failed: /);
  });

  test("after it wrote the end and before it told its stage is told by the reconciler", async () => {
    const states = adapters()?.stateMachines;
    if (states === undefined) throw new Error("there are no adapters");
    await makeWorkflow("shop", { name: "untold", stages: [{ name: "only", jobs: [script("one", "sleep 1")] }] });
    const taskId = await tasks.started("untold", ["one"]);
    const { stageToken } = await waitFor("the job's token", async () => {
      const [job] = (await wholeOf("untold", taskId)).jobs;
      return job?.stageToken !== undefined && job;
    });
    const settle = states.settle.bind(states);
    const lost = vi.spyOn(states, "settle").mockImplementation((token, text) => {
      return token === stageToken ? Promise.resolve(true) : settle(token, text);
    });
    await waitFor("the end of the job", async () => (await wholeOf("untold", taskId)).jobs[0]?.status === "passed");
    await waitFor("the message to be lost", async () => lost.mock.calls.some(([token]) => token === stageToken));
    lost.mockRestore();
    const { jobs } = await wholeOf("untold", taskId);
    await reconcile();
    expect((await wholeOf("untold", taskId)).task.status).toBe("running");
    for (const { pk, sk, endTime } of jobs as Item<JobRecord>[])
      await table().updateOne(update({ pk, sk }, { set: { endTime: endTime - 120 } }));
    await reconcile();
    expect((await tasks.end("untold", taskId)).status).toBe("passed");
  });
});

test("executions that run are listed in one call for all, and only those that do not are asked for", async () => {
  await makeWorkflow("shop", {
    name: "many",
    stages: [{ name: "one", jobs: [script("one", "sleep 3600")] }],
    concurrency_limit: -1,
  });
  const ids: number[] = [];
  for (let count = 0; count < 6; count++) ids.push(await tasks.started("many", ["one"]));
  await waitFor("the jobs to run", async () => {
    const wholes = await Promise.all(ids.map((id) => wholeOf("many", id)));
    return wholes.every(({ jobs }) => jobs[0]?.status === "running");
  });
  for (const id of ids) await age("many", id);
  const dead = (await wholeOf("many", ids[2] ?? 0)).jobs[0] as JobRecord;
  await stopExecution(config().SLIPWAY_JOB_ARN, executionOf(dead), "an operator");
  const { calls } = await recordAwsCalls(() => reconcile());
  expect(calls).toMatchObject({ "stateMachines.running": 2, "stateMachines.status": 1 });
  expect((await wholeOf("many", ids[2] ?? 0)).jobs[0]?.attempt).toBe(2);
  for (const id of ids) await tasks.cancel("many", id);
  for (const id of ids) await tasks.end("many", id);
});

test("who looks at many executions asks for no more of them than it may, and leaves the rest to the next look", async () => {
  const ask = manyExecutions(2);
  const machine = config().SLIPWAY_JOB_ARN;
  expect([await ask(machine, "none-1"), await ask(machine, "none-2"), await ask(machine, "none-3")]).toEqual([
    undefined,
    undefined,
    "UNKNOWN",
  ]);
});

test("where executions cannot be listed they are asked for one by one", async () => {
  const asked = adapters();
  if (asked === undefined) throw new Error("there are no adapters");
  provideAdapters(
    aroundAdapters(asked, (call, _, go) => {
      if (call === "stateMachines.running") throw new Error("throttled");
      return go();
    }),
  );
  try {
    expect(await manyExecutions()(config().SLIPWAY_JOB_ARN, "none-4")).toBeUndefined();
  } finally {
    provideAdapters(asked);
  }
});
