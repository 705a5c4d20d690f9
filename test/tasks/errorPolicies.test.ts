import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newPerson, type Person } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { startedInHaste } from "../harness/startedInHaste.ts";
import { gate, makeWorkflow, type ShownJob, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
/** Named in the policy; without any role. */
let ann: Person;
/** Starts tasks, and is not named. */
let eve: Person;
let lead: Person;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  ann = await newPerson("ann");
  eve = await newPerson("eve", [{ namespace: "shop", roles: { starter: ["run_workflow", "get_workflow"] } }]);
  lead = await newPerson("lead", [{ namespace: "shop", roles: { "project-admin": [] } }]);
});

afterAll(() => slipway.close());

/** Fails at once: a kind that nothing runs. */
const failing = (error_policy: object | null) => ({
  name: "first",
  type: "freestyle",
  spec: { script: "true", script_type: "powershell" },
  error_policy,
});
/** Nobody can decide, so that its time runs out. */
const endless = (error_policy: object | null) => ({
  ...{ name: "first", type: "approval", error_policy },
  spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
});

const around = (name: string, job: object) => ({
  ...{ name, concurrency_limit: -1 },
  stages: [
    { name: "one", jobs: [job, gate("behind")] },
    { name: "two", jobs: [gate("last")] },
  ],
});

interface Decided extends ShownJob {
  retry_count: number;
  error_policy: object | null;
  error_handler_user_id: string;
  error_handler_username: string;
}

const firstOf = ({ stages }: ShownTask) => stages[0]?.jobs[0] as Decided;
/** Task, its two stages, the job and the one behind it. */
const statusesOf = ({ status, stages }: ShownTask) => [
  status,
  ...stages.map((stage) => stage.status),
  ...(stages[0]?.jobs ?? []).map((job) => job.status),
];
const stopped = (ending: string) => [ending, ending, "", ending, ""];
const wentOn = ["passed", "passed", "passed", "unstable", "passed"];

describe("what becomes of a job that fails or runs out of time (contract W 8.7)", () => {
  const table: [
    name: string,
    policy: object | null,
    ending: "failed" | "timeout",
    statuses: string[],
    tries: number,
  ][] = [
    ["none", null, "failed", stopped("failed"), 0],
    ["stop", { policy: "stop" }, "failed", stopped("failed"), 0],
    ["ignore", { policy: "ignore_error" }, "failed", wentOn, 0],
    ["retry", { policy: "retry", maximum_retry: 1 }, "failed", stopped("failed"), 1],
    ["late", null, "timeout", stopped("timeout"), 0],
    ["late-ignored", { policy: "ignore_error" }, "timeout", wentOn, 0],
  ];
  const errors = {
    failed: "scripts of type powershell cannot be run here; use a shell script",
    timeout: "workflow timeout",
  };

  test.concurrent.each(table)("with policy %s", async (name, policy, ending, statuses, tries) => {
    const id =
      ending === "timeout"
        ? await startedInHaste(slipway, "shop", around(name, endless(policy)))
        : await begun(around(name, failing(policy)));
    const task = await tasks.end(name, id);
    expect(statusesOf(task)).toEqual(statuses);
    const { retry_count, error, error_policy, start_time = 0, end_time = 0 } = firstOf(task);
    expect([retry_count, error]).toEqual([tries, errors[ending]]);
    expect(error_policy).toEqual(policy === null ? null : expect.objectContaining(policy));
    // Ten seconds pass before each further try.
    expect(end_time - start_time).toBeGreaterThanOrEqual(tries * 10);
  });
});

async function begun(workflow: ReturnType<typeof around>): Promise<number> {
  await makeWorkflow("shop", workflow);
  return tasks.started(workflow.name, ["first", "behind", "last"]);
}

describe("a job whose error somebody decides about (contract W 8.7)", () => {
  const asks = (...approval_users: object[]) => ({ policy: "manual_check", approval_users });
  const decide = (workflow_name: string, task_id: number, decision: string, token?: string) => {
    const body = { workflow_name, job_name: "job-0-0-0-first", task_id, decision };
    return slipway.call("POST", "/api/aslan/workflow/v4/workflowtask/handle/error", { body, ...(token && { token }) });
  };
  const untilAsked = (name: string, id: number) =>
    tasks.until(name, id, "asking", (task) => firstOf(task).status === "wait_for_manual_error_handling");

  test("waits while its task runs, and nobody but those who are named and administrators decides", async () => {
    const id = await begun(around("asking", failing(asks({ type: "user", user_id: ann.uid }))));
    const task = await untilAsked("asking", id);
    expect(statusesOf(task)).toEqual(["running", "running", "", "wait_for_manual_error_handling", ""]);
    expect(firstOf(task)).toMatchObject({ error_handler_user_id: "", error_handler_username: "" });
    const refused = await decide("asking", id, "ignore", eve.token);
    expect([refused.status, refused.json]).toMatchObject([400, { code: 6169 }]);
    expect((await decide("asking", id, "perhaps", ann.token)).status).toBe(400);
    expect(firstOf(await tasks.read("asking", id)).status).toBe("wait_for_manual_error_handling");
    const answers = await Promise.all(["ignore", "ignore"].map((word) => decide("asking", id, word, ann.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    await tasks.end("asking", id);
    expect((await decide("asking", id, "reject", ann.token)).json).toMatchObject({ code: 6169 });
  });

  test.each([
    ["ignored by one who is named", "ignore", () => ann, wentOn],
    ["rejected by one who is named", "reject", () => ann, stopped("failed")],
    ["ignored by an administrator", "ignore", () => lead, wentOn],
  ])("%s", async (what, decision, who, statuses) => {
    const name = what.replaceAll(" ", "-");
    const id = await begun(around(name, failing(asks({ user_id: ann.uid }))));
    await untilAsked(name, id);
    expect((await decide(name, id, decision, who().token)).json).toEqual({ message: "success" });
    const task = await tasks.end(name, id);
    expect(statusesOf(task)).toEqual(statuses);
    expect(firstOf(task)).toMatchObject({
      error: "scripts of type powershell cannot be run here; use a shell script",
      ...{ error_handler_user_id: who().uid, error_handler_username: who() === ann ? "ann" : "lead" },
    });
  });

  test("by its starter, where the policy says so", async () => {
    await makeWorkflow("shop", around("by-the-starter", failing(asks({ type: "task_creator" }))));
    const started = await slipway.call<{ task_id: number }>("POST", "/openapi/workflows/custom/task", {
      token: eve.token,
      body: { workflow_key: "by-the-starter", project_key: "shop", inputs: [{ job_name: "first", parameters: {} }] },
    });
    const id = started.json.task_id;
    await untilAsked("by-the-starter", id);
    expect((await decide("by-the-starter", id, "ignore", ann.token)).status).toBe(400);
    expect((await decide("by-the-starter", id, "ignore", eve.token)).status).toBe(200);
    expect(firstOf(await tasks.end("by-the-starter", id)).error_handler_username).toBe("eve");
  });

  test("stays a timeout when it was one and is rejected", async () => {
    const id = await startedInHaste(slipway, "shop", around("late-asking", endless(asks({ user_id: ann.uid }))));
    await untilAsked("late-asking", id);
    expect((await decide("late-asking", id, "reject", ann.token)).status).toBe(200);
    expect(statusesOf(await tasks.end("late-asking", id))).toEqual(stopped("timeout"));
  });

  test("of a task that is cancelled is cancelled", async () => {
    const id = await begun(around("given-up", failing(asks({ user_id: ann.uid }))));
    await untilAsked("given-up", id);
    expect((await tasks.cancel("given-up", id)).status).toBe(200);
    expect(statusesOf(await tasks.end("given-up", id))).toEqual(stopped("cancelled"));
  });
});
