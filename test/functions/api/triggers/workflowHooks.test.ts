import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const { call, deliveries, settled } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** Waits for somebody until it is cancelled. */
const held = {
  ...gate("held"),
  spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
};

async function make(name: string, jobs: readonly object[] = [gate("a")], project = "shop"): Promise<void> {
  await makeWorkflow(project, {
    name,
    concurrency_limit: -1,
    params: [{ name: "version", type: "string", value: "none" }],
    stages: [{ name: "one", jobs: [...jobs] }],
  } as Parameters<typeof makeWorkflow>[1]);
}

const follow = (workflow: string, followed: string, more: object = {}) =>
  call("POST", `/workflowhook/${workflow}`, { body: { name: `after-${followed}`, workflow_key: followed, ...more } });

async function followed(workflow: string, before: string, more: object = {}): Promise<void> {
  const answer = await follow(workflow, before, more);
  expect(answer.json, answer.text).toEqual(success);
}

describe("a start after another workflow", () => {
  test("comes with the end that it waits for, once, and knows what ended", async () => {
    await make("build");
    await make("ship");
    const value = ["workflow", "project", "task_id", "status", "event", "creator"]
      .map((name) => `{{.payload.trigger.${name}}}`)
      .join("|");
    const workflow_arg = { parameters: [{ name: "version", value: `${value}|{{.payload.parameters.version}}` }] };
    await followed("ship", "build", { workflow_arg });
    const parameters = [{ name: "version", value: "v7" }];
    const taskId = await tasks.started("build", ["a"], { parameters });
    await tasks.end("build", taskId);
    expect(await settled("ship")).toMatchObject([
      { kind: "workflowhook", trigger: "after-build", event: "passed", status: "started", task_id: 1 },
    ]);
    const started = await tasks.end("ship", 1);
    expect(started).toMatchObject({
      ...{ status: "passed", task_creator: "workflowhook" },
      params: [{ value: `build|shop|${taskId}|passed|passed|admin|v7` }],
    });
    await slipway.runtime.reconcile();
    expect(await deliveries("ship")).toHaveLength(1);
  });

  test("waits for the endings alone that it names, and again for that of a retry", async () => {
    await make("long", [held]);
    await make("cleaner");
    await make("shipper");
    await followed("cleaner", "long", { statuses: ["cancelled", "failed"] });
    await followed("shipper", "long");
    const taskId = await tasks.started("long", ["held"]);
    for (const count of [1, 2]) {
      await tasks.until("long", taskId, "running", ({ status }) => status === "running");
      expect((await tasks.cancel("long", taskId)).status).toBe(200);
      await tasks.end("long", taskId);
      expect(await settled("cleaner", count)).toHaveLength(count);
      if (count === 1) expect((await tasks.retry("long", taskId)).status).toBe(200);
    }
    expect(await deliveries("cleaner")).toMatchObject([{ event: "cancelled" }, { event: "cancelled" }]);
    expect(await deliveries("shipper")).toEqual([]);
  });

  test("is listed, changed, put aside and deleted", async () => {
    await make("first");
    await make("second");
    await followed("second", "first");
    expect((await call("GET", "/workflowhook/second/preset")).json).toMatchObject({
      statuses: ["passed", "failed", "timeout", "cancelled", "reject"],
    });
    const listed = async () => (await call<object[]>("GET", "/workflowhook/second")).json;
    const shown = { name: "after-first", workflow_key: "first", statuses: ["passed"], enabled: true };
    expect(await listed()).toMatchObject([shown]);
    const body = { name: "after-first", workflow_key: "first", statuses: ["failed", "passed"], enabled: false };
    expect((await call("PUT", "/workflowhook/second", { body })).json).toEqual(success);
    expect(await listed()).toMatchObject([{ statuses: ["failed", "passed"], enabled: false }]);
    await tasks.end("first", await tasks.started("first", ["a"]));
    expect(await settled("second")).toMatchObject([{ status: "ignored", problem: "trigger after-first is disabled" }]);
    expect((await call("DELETE", "/workflowhook/second/after-first")).json).toEqual(success);
    expect(await listed()).toEqual([]);
    await tasks.end("first", await tasks.started("first", ["a"]));
    expect(await deliveries("second")).toHaveLength(1);
    expect((await call("PUT", "/workflowhook/second", { body })).status).toBe(404);
  });

  test("follows no other workflow that is made under the same key", async () => {
    await make("reborn");
    await make("faithful");
    await followed("faithful", "reborn", { statuses: ["passed", "cancelled"] });
    const gone = await slipway.call("DELETE", "/openapi/workflows/custom?workflowKey=reborn&projectKey=shop");
    expect(gone.status, gone.text).toBe(200);
    await make("reborn");
    await tasks.end("reborn", await tasks.started("reborn", ["a"]));
    expect(await deliveries("faithful")).toEqual([]);
  });

  test("closes no circle, whatever the way", async () => {
    for (const name of ["one", "two", "three"]) await make(name);
    await followed("two", "one");
    await followed("three", "two");
    for (const [workflow, before, way] of [
      ["one", "one", "one → one"],
      ["one", "three", "one → two → three → one"],
    ] as const) {
      const answer = await follow(workflow, before);
      expect(answer.status, answer.text).toBe(400);
      expect(problemsOf(answer)).toEqual([{ path: "workflow_key", problem: expect.stringContaining(way) }]);
    }
    expect((await call("GET", "/workflowhook/one")).json).toEqual([]);
  });

  test("closes no circle of two that are saved at the same moment", async () => {
    await make("left");
    await make("right");
    const answers = await Promise.all([follow("left", "right"), follow("right", "left")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test.each([
    ["no workflow", {}, "workflow_key"],
    ["one that is not there", { workflow_key: "absent" }, "workflow_key"],
    ["a number", { workflow_key: 7 }, "workflow_key"],
    ["no status", { workflow_key: "build", statuses: [] }, "statuses"],
    ["a status in which no task ends", { workflow_key: "build", statuses: ["running"] }, "statuses[0]"],
  ])("is refused with %s", async (what, wrong, path) => {
    const name = `refused-${what.length}`;
    await make(name);
    const answer = await call("POST", `/workflowhook/${name}`, { body: { name: "after", ...wrong } });
    expect(answer.status, answer.text).toBe(400);
    expect(problemsOf(answer)[0]?.path).toBe(path);
    expect((await call("GET", `/workflowhook/${name}`)).json).toEqual([]);
  });

  test("goes across projects for those alone who may read the other workflow", async () => {
    const body = { project_name: "lab", project_key: "lab", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    await make("experiment", [gate("a")], "lab");
    await make("publish");
    const one = await newPerson("publisher", [
      { namespace: "shop", roles: { editor: ["get_workflow", "edit_workflow"] } },
    ]);
    const more = { body: { name: "after", workflow_key: "experiment" }, token: one.token };
    const refused = await call("POST", "/workflowhook/publish", more);
    expect(refused.status, refused.text).toBe(403);
    expect(refused.text).toContain("workflow_key");
    await followed("publish", "experiment");
    const lab = { workflow_key: "experiment", project_key: "lab", inputs: [{ job_name: "a", parameters: {} }] };
    expect((await slipway.call("POST", "/openapi/workflows/custom/task", { body: lab })).status).toBe(200);
    expect(await settled("publish")).toMatchObject([{ status: "started" }]);
  });
});
