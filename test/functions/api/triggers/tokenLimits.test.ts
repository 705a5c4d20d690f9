import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { invokeNow } from "../../../../shared/base/aws/functions/invokeNow.ts";
import { adminToken, type Slipway } from "../../../harness/slipway.ts";
import { makeGates, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { type Person, storedPerson } from "../../../security/storedPerson.ts";
import { success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let person: Person;
/** Of the same user, for the project `shop` alone. */
let limited: string;
const { call, ring, settled } = triggerCalls(() => slipway);
const secret = "0123456789abcdef";

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  const body = { project_name: "beta", project_key: "beta", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  await makeGates("beta", "theirs", [1], { concurrency_limit: -1 });
  person = await storedPerson("Of Both", { namespace: "*", roles: { admin: [] } });
  limited = await tokenWith({ name: "of shop", projects: ["shop"] });
});

afterAll(() => slipway.close());

async function tokenWith(body: object): Promise<string> {
  const path = `/openapi/users/${person.uid}/tokens`;
  const answer = await slipway.call<{ token: string }>("POST", path, { token: person.token, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.token;
}

/** A workflow of `shop` whose one job starts one of `beta`. */
async function callsTheirs(name: string, theirs = "theirs"): Promise<void> {
  const spec = {
    ...{ trigger_type: "fixed", is_enable_check: true },
    fixed_workflow_list: [{ workflow_name: theirs, project_name: "beta" }],
  };
  const stages = [{ name: "one", jobs: [{ name: "others", type: "workflow-trigger", spec }] }];
  await makeWorkflow("shop", { name, concurrency_limit: -1, stages });
}

const started = async (): Promise<number> => {
  const path = "/openapi/workflows/custom/theirs/tasks?projectKey=beta&pageNum=1&pageSize=10";
  const { json, status } = await slipway.call<{ total: number }>("GET", path);
  expect(status).toBe(200);
  return json.total;
};
const errorOf = ({ stages: [stage] }: ShownTask): string => stage?.jobs[0]?.error ?? "";
const refused =
  "workflow theirs could not be started: Of Both may not run it with the token that was used; it needs run_workflow in project beta";

async function expectRefused(workflow: string, taskId: number, name = "Of Both"): Promise<void> {
  const before = await started();
  const task = await tasks.end(workflow, taskId);
  expect([task.status, errorOf(task)]).toEqual(["failed", refused.replace("Of Both", name)]);
  expect(await started()).toBe(before);
}

async function expectPassed(workflow: string, taskId: number): Promise<void> {
  expect(await tasks.end(workflow, taskId)).toMatchObject({ status: "passed" });
}

describe("a token of one project starts no workflow of another", () => {
  test("by a job of a workflow that it may start", async () => {
    await callsTheirs("by-job");
    const begin = async (token: string) => {
      const answer = await tasks.start("by-job", ["others"], {}, { token });
      expect(answer.status, answer.text).toBe(200);
      return answer.json.task_id;
    };
    const before = await started();
    await expectRefused("by-job", await begin(limited));
    expect(await started()).toBe(before);
    await expectPassed("by-job", await begin(person.token));
    expect(await started()).toBe(before + 1);
  });

  test("by a retry of a task that somebody without limits started, which its starter may retry", async () => {
    await callsTheirs("by-retry", "later");
    const answer = await tasks.start("by-retry", ["others"], {}, { token: person.token });
    expect(await tasks.end("by-retry", answer.json.task_id)).toMatchObject({ status: "failed" });
    await makeGates("beta", "later", [1], { concurrency_limit: -1 });
    const retry = async (token: string) => {
      const path = "/openapi/workflows/custom/by-retry/task/1?projectKey=shop";
      expect((await slipway.call("POST", path, { token })).status).toBe(200);
      return tasks.end("by-retry", 1);
    };
    expect(errorOf(await retry(limited))).toBe(refused.replace("theirs", "later"));
    // Somebody else has no part in what the starter may do beyond the token.
    expect(errorOf(await retry(adminToken))).toBe(refused.replace("theirs", "later"));
    expect(await retry(person.token)).toMatchObject({ status: "passed" });
  });

  test("by a webhook that it saved, until somebody without limits saves it again", async () => {
    await callsTheirs("by-hook");
    const save = (method: string, token: string) =>
      call(method, "/generalhook/by-hook", { body: { name: "ci", secret }, token });
    expect((await save("POST", limited)).json).toEqual(success);
    await ring("by-hook", "ci", secret);
    await settled("by-hook", 1);
    await expectRefused("by-hook", 1, "generalhook");
    expect((await save("PUT", person.token)).json).toEqual(success);
    await ring("by-hook", "ci", secret);
    await settled("by-hook", 2);
    await expectPassed("by-hook", 2);
  });

  test("by a cron that it saved, until somebody without limits saves it again", async () => {
    await callsTheirs("by-cron");
    const save = async (method: string, cron: string, token: string) => {
      const body = { name: "nightly", cron, time_zone: "UTC" };
      expect((await call(method, "/cron/by-cron", { body, token })).json).toEqual(success);
      return waitFor("the scheduler to know it", async () =>
        slipway.runtime.aws.schedules
          .all()
          .map(({ definition: { ScheduleExpression, Target } }) => ({ when: ScheduleExpression, input: Target.Input }))
          .find(({ when, input }) => when.startsWith(`cron(${cron.slice(0, 4)}`) && input.includes("by-cron")),
      );
    };
    const due = async (input: string, minutesAgo: number) => {
      const time = new Date(Math.floor(Date.now() / 60_000 - minutesAgo) * 60_000).toISOString();
      const at = time.replace(/\.\d+Z$/, "Z");
      await invokeNow("trigger-starter", JSON.parse(input.replace("<aws.scheduler.scheduled-time>", at)));
    };
    await due((await save("POST", "30 2 * * *", limited)).input, 3);
    await settled("by-cron", 1);
    await expectRefused("by-cron", 1, "cron");
    await due((await save("PUT", "31 2 * * *", person.token)).input, 2);
    await settled("by-cron", 2);
    await expectPassed("by-cron", 2);
  });

  test("by what follows the end of another workflow", async () => {
    await makeGates("shop", "first", [1]);
    await callsTheirs("by-end");
    const body = { name: "after", workflow_key: "first", statuses: ["passed"] };
    expect((await call("POST", "/workflowhook/by-end", { body, token: limited })).json).toEqual(success);
    await tasks.end("first", await tasks.started("first", ["gate-0-0"]));
    await settled("by-end", 1);
    await expectRefused("by-end", 1, "workflowhook");
  });
});

test("what a token saved starts nothing after its end, until it is saved again", async () => {
  await makeGates("shop", "ending", [1]);
  const ends = Math.floor(Date.now() / 1000) + 4;
  const token = await tokenWith({ name: "short", expires_at: ends });
  const save = (method: string, by: string) =>
    call(method, "/generalhook/ending", { body: { name: "ci", secret }, token: by });
  expect((await save("POST", token)).json).toEqual(success);
  await ring("ending", "ci", secret);
  expect(await settled("ending", 1)).toMatchObject([{ status: "started", task_id: 1 }]);
  await tasks.end("ending", 1);
  await sleep(Math.max(0, ends * 1000 - Date.now()) + 100);
  await ring("ending", "ci", secret);
  expect((await settled("ending", 2)).find(({ status }) => status !== "started")).toMatchObject({
    status: "failed",
    problem:
      "Of Both, who saved the trigger, may not run the workflow with the token that was used; somebody with run_workflow in project shop must save it again",
  });
  expect((await save("PUT", person.token)).json).toEqual(success);
  await ring("ending", "ci", secret);
  expect((await settled("ending", 3)).filter(({ status }) => status === "started")).toHaveLength(2);
});
