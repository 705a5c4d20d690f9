import { describe, expect, test } from "vitest";
import { definition as environmentChange } from "../../../functions/engine/environment-change/definition.ts";
import { definition as job } from "../../../functions/engine/job/definition.ts";
import { definition as workflowTask } from "../../../functions/engine/workflow-task/definition.ts";
import { runExecution, startTestAws } from "../../infra/local/aws/harness.ts";

const machines = {
  "environment-change": { definition: environmentChange, input: { changeId: "c" } },
  "workflow-task": { definition: workflowTask, input: { ownerId: "o", taskId: 1, attempt: 1 } },
  job: { definition: job, input: { ownerId: "o", taskId: 1, job: "j", timeoutSeconds: 60 } },
};

/** The definition with a function's name in its placeholder, without the pauses of retries. */
function playable(definition: object): object {
  return JSON.parse(JSON.stringify(definition).replace(/\$\{\w+\}/g, "tasks"), (key, value) =>
    key === "Retry" ? [] : value,
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
