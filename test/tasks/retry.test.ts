import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let hooks: HookReceiver;
let admin: string;

beforeAll(async () => {
  hooks = await startHookReceiver();
  ({ slipway, tasks } = await startShop({
    podDelayMilliseconds: 0,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  }));
  const { json } = await slipway.call<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users");
  admin = json.users.find(({ account }) => account === "admin")?.uid ?? "";
});

afterAll(async () => {
  await slipway.close();
  await hooks.close();
});

const failing = (name: string) => ({ name, type: "freestyle", spec: { script: "true", script_type: "powershell" } });
const asking = (name: string, description = "") => ({
  ...{ name, type: "approval" },
  spec: {
    ...{ type: "native", description },
    native_approval: { needed_approvers: 1, approve_users: [{ user_id: admin }] },
  },
});
const skipped = (name: string) => ({
  ...gate(name),
  execute_policy: { type: "skip", match_rule: "all", rules: [{ field: "a", verb: "=", value: "a" }] },
});
const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const jobOf = (task: ShownTask, name: string) => jobsOf(task).find(({ origin_name }) => origin_name === name);
const statuses = (task: ShownTask) => Object.fromEntries(jobsOf(task).map((job) => [job.origin_name, job.status]));
const timesOf = (task: ShownTask, ...names: string[]) =>
  names.map((name) => [jobOf(task, name)?.start_time, jobOf(task, name)?.end_time]);
const untilAsked = (name: string, id: number, job: string) =>
  tasks.until(name, id, "asking", (task) => jobOf(task, job)?.status === "wait_for_approval");
const secondGoesBy = () => new Promise((resolve) => setTimeout(resolve, 1100));

describe("a retry (contract W 2.7, 8.8)", () => {
  test("keeps what passed, was skipped or is unstable with its outputs, and begins the rest anew", async () => {
    const make = {
      ...{ name: "make", type: "freestyle" },
      spec: { script: "WORD=seven", advanced_setting: { outputs: [{ name: "WORD" }] } },
    };
    const told = {
      ...{ enabled: true, webhook_type: "webhook", notify_type: ["created", "reject", "passed"] },
      webhook_notification_config: { address: `${hooks.url}/retry`, token: "t" },
    };
    await makeWorkflow("shop", {
      ...{ name: "again", notify_ctls: [told] },
      stages: [
        { name: "first", jobs: [make] },
        {
          name: "second",
          jobs: [
            { ...failing("shaky"), error_policy: { policy: "ignore_error" } },
            skipped("left"),
            asking("ask", "Use {{.job.make.output.WORD}}?"),
            gate("behind"),
          ],
        },
        { name: "third", jobs: [gate("last")] },
      ],
    });
    const id = await tasks.started("again", ["make", "shaky", "left", "behind", "last"]);
    await untilAsked("again", id, "ask");
    expect((await tasks.approve("again", id, "ask", false)).status).toBe(200);
    const before = await tasks.end("again", id);
    expect(before.status).toBe("reject");
    expect(statuses(before)).toEqual({
      ...{ make: "passed", shaky: "unstable", left: "skipped", ask: "reject", behind: "", last: "" },
    });
    await secondGoesBy();

    expect((await tasks.retry("again", id)).json).toEqual({ message: "success" });
    const during = await untilAsked("again", id, "ask");
    expect(during).toMatchObject({
      task_id: id,
      status: "running",
      create_time: before.create_time,
      is_restart: false,
    });
    expect(during.start_time).toBeGreaterThan(before.start_time);
    expect([during.end_time, during.error]).toEqual([undefined, undefined]);
    expect(during.stages.map(({ status }) => status)).toEqual(["passed", "running", ""]);
    expect(statuses(during)).toEqual({
      ...{ make: "passed", shaky: "unstable", left: "skipped", ask: "wait_for_approval", behind: "", last: "" },
    });
    // Kept as they were; what begins anew has nothing of the run before.
    expect(timesOf(during, "make", "shaky", "left")).toEqual(timesOf(before, "make", "shaky", "left"));
    expect(during.stages[0]).toEqual(before.stages[0]);
    expect(jobOf(during, "ask")?.end_time).toBeUndefined();
    expect(jobOf(during, "ask")?.spec.description).toBe("Use seven?");

    expect((await tasks.approve("again", id, "ask", true)).status).toBe(200);
    const after = await tasks.end("again", id);
    expect(statuses(after)).toMatchObject({ make: "passed", shaky: "unstable", ask: "passed", last: "passed" });
    expect([after.status, (await tasks.retry("again", id)).status]).toEqual(["passed", 400]);
    const received = (await hooks.receivedOn("/retry", 4)).map(({ body }) => JSON.parse(body).workflow);
    expect(received.map(({ status }) => status)).toEqual(["waiting", "reject", "waiting", "passed"]);
  });

  test.each([
    ["failed", failing],
    ["cancelled", asking],
  ])("of a task that is %s starts over under its number, with the definition that it had", async (status, job) => {
    const name = `${status}-again`;
    await makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [job("only")] }] });
    const id = await tasks.started(name, ["only"]);
    if (status === "cancelled") {
      await untilAsked(name, id, "only");
      await tasks.cancel(name, id);
    }
    expect((await tasks.end(name, id)).status).toBe(status);
    const body = { name, project: "shop", stages: [{ name: "other", jobs: [gate("new")] }] };
    expect((await slipway.call("PUT", `/openapi/workflows/custom/${name}`, { body })).status).toBe(200);
    expect((await tasks.retry(name, id)).status).toBe(200);
    const task = status === "cancelled" ? await untilAsked(name, id, "only") : await tasks.end(name, id);
    expect(task).toMatchObject({ task_id: id, task_revoker: "admin", stages: [{ name: "one" }] });
    expect(await tasks.started(name, ["new"])).toBe(id + 1);
  });

  test("is refused while a task waits, runs or has passed, and for one that is not there", async () => {
    await makeWorkflow("shop", {
      name: "busy",
      concurrency_limit: 1,
      stages: [{ name: "one", jobs: [asking("only")] }],
    });
    const running = await tasks.started("busy", ["only"]);
    const waiting = await tasks.started("busy", ["only"]);
    await untilAsked("busy", running, "only");
    for (const id of [running, waiting]) {
      const { status, json } = await tasks.retry("busy", id);
      expect([status, json]).toMatchObject([400, { code: 6164 }]);
    }
    expect((await tasks.retry("busy", 99)).json).toMatchObject({ code: 404 });
    expect((await tasks.retry("nowhere", 1)).json).toMatchObject({ code: 404 });
    expect((await tasks.cancel("busy", 99)).json).toMatchObject({ code: 404 });
    expect((await tasks.cancel("nowhere", 1)).json).toMatchObject({ code: 404 });
    expect((await tasks.start("nowhere", ["a"])).json).toMatchObject({ code: 404 });
    for (const id of [running, waiting]) await tasks.cancel("busy", id);
  });
});

describe("a task has its own copy of the definition (contract W 2.10, 2.12)", () => {
  test("that a change of the workflow leaves alone, running and queued", async () => {
    const stages = (text: string) => [
      { name: text, jobs: [asking("only", text)] },
      { name: `${text}-after`, jobs: [gate("last")] },
    ];
    const source = (text: string) => ({ name: "copied", concurrency_limit: 1, stages: stages(text) });
    await makeWorkflow("shop", source("old"));
    const ids = [await tasks.started("copied", ["last"]), await tasks.started("copied", ["last"])];
    await untilAsked("copied", ids[0] ?? 0, "only");
    const body = { project: "shop", ...source("new") };
    expect((await slipway.call("PUT", "/openapi/workflows/custom/copied", { body })).status).toBe(200);
    for (const id of ids) {
      const task = await untilAsked("copied", id, "only");
      expect(task.stages.map(({ name }) => name)).toEqual(["old", "old-after"]);
      expect(jobOf(task, "only")?.spec).toMatchObject({ description: "old" });
      expect((await tasks.approve("copied", id, "old", true)).status).toBe(200);
      expect((await tasks.end("copied", id)).status).toBe("passed");
    }
    const next = await tasks.started("copied", ["last"]);
    expect((await tasks.read("copied", next)).stages.map(({ name }) => name)).toEqual(["new", "new-after"]);
  });

  test("and a remark, whatever its status", async () => {
    await makeWorkflow("shop", { name: "noted", stages: [{ name: "one", jobs: [asking("only")] }] });
    const id = await tasks.started("noted", ["only"]);
    const remark = (taskId: number, text: unknown) =>
      slipway.call("PUT", `/openapi/workflows/custom/noted/task/${taskId}?projectKey=shop`, { body: { remark: text } });
    await untilAsked("noted", id, "only");
    expect(await tasks.read("noted", id)).toMatchObject({ remark: "" });
    expect((await remark(id, "for the feast")).json).toEqual({ message: "success" });
    expect(await tasks.read("noted", id)).toMatchObject({ remark: "for the feast", status: "running" });
    await tasks.approve("noted", id, "only", true);
    expect(await tasks.end("noted", id)).toMatchObject({ remark: "for the feast", status: "passed" });
    expect((await remark(id, "over")).status).toBe(200);
    expect(await tasks.read("noted", id)).toMatchObject({ remark: "over", status: "passed" });
    expect([(await remark(id, 7)).status, (await remark(99, "x")).status]).toEqual([400, 404]);
  });
});
