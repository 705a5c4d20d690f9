import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "a-secret-of-the-hook";
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const { call, settled, deliveries } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

async function make(name: string, hook: object): Promise<void> {
  await makeWorkflow("shop", {
    name,
    concurrency_limit: -1,
    params: [{ name: "told", type: "string", value: "" }],
    stages: [{ name: "one", jobs: [gate("a")] }],
  });
  const value = ["event", "issue", "project", "issue_type", "status", "summary", "user"]
    .map((variable) => `{{.payload.trigger.${variable}}}`)
    .join("|");
  const body = { name: "issues", secret, workflow_arg: { parameters: [{ name: "told", value }] }, ...hook };
  expect((await call("POST", `/jirahook/${name}`, { body })).json).toEqual(success);
}

/** As Jira sends it: developer.atlassian.com, Jira Cloud platform, Webhooks. */
const updated = (key: string, status = "Done") => ({
  timestamp: 1_700_000_000_000,
  webhookEvent: "jira:issue_updated",
  user: { displayName: "Ada" },
  issue: {
    id: "10002",
    key,
    fields: {
      summary: "Ship it",
      status: { name: status },
      issuetype: { name: "Task" },
      project: { key: key.split("-")[0] },
    },
  },
});

const tell = (workflow: string, body: unknown, headers: Record<string, string> = {}) =>
  call<{ delivery_id: string }>("POST", `/jirahook/${workflow}/issues/webhook`, {
    token: null,
    body,
    headers: { "x-slipway-token": secret, ...headers },
  });

describe("a Jira hook", () => {
  test("starts its workflow with what Jira told, once for each of its calls", async () => {
    await make("told", {});
    const headers = { "x-atlassian-webhook-identifier": "the-call" };
    const first = await tell("told", updated("SHOP-7"), headers);
    expect(first.status, first.text).toBe(202);
    expect((await tell("told", updated("SHOP-7"), headers)).json).toEqual(first.json);
    expect(await settled("told")).toMatchObject([{ kind: "jirahook", event: "jira:issue_updated", status: "started" }]);
    const task = (await tasks.read("told", 1)) as unknown as { params: { value: unknown }[]; task_creator: string };
    expect(task).toMatchObject({
      task_creator: "jirahook",
      params: [{ value: "jira:issue_updated|SHOP-7|SHOP|Task|Done|Ship it|Ada" }],
    });
  });

  test("listens to its events and projects alone", async () => {
    await make("choosy", { events: ["jira:issue_created"], project_keys: ["SHOP"] });
    for (const body of [
      updated("SHOP-7"),
      { ...updated("OTHER-1"), webhookEvent: "jira:issue_created" },
      { webhookEvent: "jira:issue_created" },
      {},
    ])
      expect((await tell("choosy", body)).status).toBe(202);
    expect(await deliveries("choosy")).toEqual([]);
    await tell("choosy", { ...updated("SHOP-8"), webhookEvent: "jira:issue_created" });
    expect(await settled("choosy")).toMatchObject([{ status: "started" }]);
  });

  test("is listed with what it listens to and without its secret, changed and deleted", async () => {
    await make("kept", { events: ["jira:issue_created"] });
    const list = await call("GET", "/jirahook/kept");
    expect(list.json).toMatchObject([
      {
        ...{ name: "issues", events: ["jira:issue_created"], project_keys: [] },
        address: "/api/aslan/workflow/v4/jirahook/kept/issues/webhook",
      },
    ]);
    expect(list.text).not.toContain(secret);
    expect((await call("GET", "/generalhook/kept")).json).toEqual([]);
    expect((await call("PUT", "/jirahook/kept", { body: { name: "issues", project_keys: ["A"] } })).json).toEqual(
      success,
    );
    expect((await call("GET", "/jirahook/kept")).json).toMatchObject([{ events: [], project_keys: ["A"] }]);
    expect((await tell("kept", updated("A-1"))).status, "the secret stays").toBe(202);
    expect((await call("DELETE", "/jirahook/kept/issues")).json).toEqual(success);
    expect((await tell("kept", updated("A-1"))).status).toBe(404);
  });

  test.each([
    ["no secret", { secret: "" }, "secret"],
    ["a short secret", { secret: "short" }, "secret"],
    ["events that are no list", { events: "jira:issue_created" }, "events"],
    ["an empty project", { project_keys: [""] }, "project_keys[0]"],
    [
      "a parameter that the workflow does not have",
      { workflow_arg: { parameters: [{ name: "x", value: "" }] } },
      "workflow_arg",
    ],
  ])("is refused with %s", async (what, wrong, path) => {
    const name = `refused-${what.length}`;
    await makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [gate("a")] }] });
    const answer = await call("POST", `/jirahook/${name}`, { body: { name: "issues", secret, ...wrong } });
    expect(answer.status, answer.text).toBe(400);
    expect(problemsOf(answer)[0]?.path).toContain(path);
    expect((await call("GET", `/jirahook/${name}`)).json).toEqual([]);
  });

  test("with another secret is 401, and starts nothing", async () => {
    await make("forged", {});
    expect((await tell("forged", updated("SHOP-1"), { "x-slipway-token": "another-secret" })).status).toBe(401);
    expect(await deliveries("forged")).toEqual([]);
  });
});
