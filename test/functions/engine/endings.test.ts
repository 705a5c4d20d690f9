import { afterEach, describe, expect, test, vi } from "vitest";
import { definition as deliveryVersion } from "../../../functions/engine/delivery-version/definition.ts";
import { definition as environmentChange } from "../../../functions/engine/environment-change/definition.ts";
import { definition as job } from "../../../functions/engine/job/definition.ts";
import { definition as releasePlan } from "../../../functions/engine/release-plan/definition.ts";
import { definition as workflowTask } from "../../../functions/engine/workflow-task/definition.ts";
import { runExecution, startTestAws } from "../../infra/local/aws/harness.ts";

const machines = {
  "environment-change": { definition: environmentChange, input: { changeId: "c" } },
  "workflow-task": { definition: workflowTask, input: { ownerId: "o", taskId: 1, attempt: 1 } },
  job: { definition: job, input: { ownerId: "o", taskId: 1, job: "j", timeoutSeconds: 60 } },
  "delivery-version": { definition: deliveryVersion, input: { versionId: "v", attempt: 1 } },
  "release-plan": { definition: releasePlan, input: { planId: "p", round: 1 } },
};

afterEach(() => void vi.restoreAllMocks());

/** The definition with a function's name in its placeholder, without the pauses of retries. */
function playable(definition: object): object {
  return JSON.parse(JSON.stringify(definition).replace(/\$\{\w+Function\}/g, "tasks"), (key, value) =>
    key === "Retry" ? value.filter((one: object) => "JitterStrategy" in one) : value,
  );
}

type Event = Readonly<Record<string, unknown>>;

function play(definition: object, work: (event: Event) => Promise<unknown>) {
  return startTestAws({
    stateMachines: { machine: playable(definition) },
    functions: { tasks: (event) => work(event as Event) },
  });
}

describe.each(Object.entries(machines))("the state machine %s", (_, { definition, input }) => {
  test("ends failed when it gives up, after the records say so", async () => {
    const asked: unknown[] = [];
    const aws = await play(definition, async ({ task, error }) => {
      asked.push(task);
      if (task !== "giveUp") throw new Error("the table does not answer");
      expect(error).toContain("the table does not answer");
    });
    expect(await runExecution(aws, "machine", input)).toMatchObject({ status: "FAILED", error: "GivenUp" });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe("giveUp");
  });

  test("ends failed when a step answers what the definition does not know", async () => {
    const asked: unknown[] = [];
    const answer = { do: "of later", kind: "of later", next: "of later" };
    const shape = { stage: 0, jobs: [], concurrency: 1, timeoutSeconds: 1, charts: false, groups: [], services: [] };
    const aws = await play(definition, async ({ task, taskToken, error }) => {
      asked.push(task);
      if (task === "giveUp") expect(error).toContain("another release");
      if (taskToken !== undefined) await aws.stateMachines.settle(String(taskToken), JSON.stringify(answer));
      return { ...shape, ...answer };
    });
    expect(await runExecution(aws, "machine", input)).toMatchObject({ status: "FAILED", error: "GivenUp" });
    expect(asked.at(-1)).toBe("giveUp");
  });

  test.each(["TooManyRequestsException", "ServiceException", "SdkClientException", "AWSLambdaException", "Unknown"])(
    "goes on after Lambda.%s, however often",
    async (name) => {
      vi.spyOn(Math, "random").mockReturnValue(0);
      const asked: unknown[] = [];
      const aws = await play(definition, async ({ task }) => {
        asked.push(task);
        if (asked.length <= 30) throw Object.assign(new Error("not the task's fault"), { name: `Lambda.${name}` });
        if (task !== "giveUp") throw new Error("the task's own fault");
      });
      expect(await runExecution(aws, "machine", input)).toMatchObject({ status: "FAILED", error: "GivenUp" });
      expect([...new Set(asked.slice(0, 31))]).toHaveLength(1);
      expect(asked).toHaveLength(32);
    },
  );
});

test("a change that a newer one superseded has not failed", async () => {
  const aws = await play(environmentChange, async () => {
    throw Object.assign(new Error("superseded"), { name: "ChangeSuperseded" });
  });
  const { status } = await runExecution(aws, "machine", { changeId: "c" });
  expect(status).toBe("SUCCEEDED");
});

test("a decision that nobody makes is waited for no longer than the job says, and the job is looked at again", async () => {
  let looks = 0;
  const aws = await play({ ...job, StartAt: "Finish" }, async ({ task }) => {
    // Nobody settles its token.
    if (task === "awaitDecision") return {};
    looks += 1;
    return looks === 1 ? { next: "ask", seconds: 1 } : { next: "done" };
  });
  expect((await runExecution(aws, "machine", machines.job.input)).status).toBe("SUCCEEDED");
  expect(looks).toBe(2);
});
