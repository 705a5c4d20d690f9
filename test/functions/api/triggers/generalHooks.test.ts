import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { invokeLater } from "../../../../shared/base/aws/functions/invokeLater.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { storedPerson } from "../../../security/storedPerson.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "a-secret-of-the-hook";
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const triggers = triggerCalls(() => slipway);
const { call, ring, settled, deliveries } = triggers;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** A workflow whose only job shows what its parameter came to. */
async function make(name: string, more: object = {}): Promise<void> {
  await makeWorkflow("shop", {
    name,
    concurrency_limit: -1,
    params: [
      { name: "version", type: "string", value: "none" },
      { name: "password", type: "string", value: "hidden-value", is_credential: true },
    ],
    stages: [{ name: "one", jobs: [{ ...gate("a") }] }],
    ...more,
  });
}

const add = (workflow: string, body: object) =>
  call("POST", `/generalhook/${workflow}`, { body: { name: "ci", secret, ...body } });

async function paramOf(workflow: string, taskId: number): Promise<unknown> {
  const task = (await tasks.read(workflow, taskId)) as unknown as { params: { name: string; value: unknown }[] };
  return task.params.find(({ name }) => name === "version")?.value;
}

describe("a general hook", () => {
  test("is added, listed without its secret, changed and deleted", async () => {
    await make("kept");
    expect((await call("GET", "/generalhook/kept/preset")).json).toEqual({
      workflow_arg: {
        parameters: [
          { name: "version", type: "string", value: "none" },
          { name: "password", type: "string", value: "" },
        ],
        inputs: [{ job_name: "a", job_type: "approval", parameters: {} }],
      },
    });
    const workflow_arg = { parameters: [{ name: "password", value: "of-the-hook" }] };
    expect((await add("kept", { description: "from CI", workflow_arg })).json).toEqual(success);
    const twice = await add("kept", {});
    expect([twice.status, problemsOf(twice)]).toEqual([
      400,
      [{ path: "name", problem: "the workflow has a trigger ci already" }],
    ]);
    const list = await call("GET", "/generalhook/kept");
    expect(list.json).toMatchObject([
      {
        ...{ name: "ci", enabled: true, description: "from CI", updated_by: "admin" },
        ...{ workflow_arg: { parameters: [{ name: "password", value: "********" }] } },
        address: "/api/aslan/workflow/v4/generalhook/kept/ci/webhook",
      },
    ]);
    expect(list.text).not.toContain(secret);
    expect((await call("PUT", "/generalhook/kept", { body: { name: "ci", enabled: false } })).json).toEqual(success);
    expect((await call("PUT", "/generalhook/kept", { body: { name: "other", secret } })).status).toBe(404);
    expect((await ring("kept", "ci", secret)).status, "the secret stays").toBe(202);
    expect(await settled("kept")).toMatchObject([{ status: "ignored", problem: "trigger ci is disabled", task_id: 0 }]);
    for (const _ of [1, 2]) expect((await call("DELETE", "/generalhook/kept/ci")).json).toEqual(success);
    expect((await call("GET", "/generalhook/kept")).json).toEqual([]);
    expect((await ring("kept", "ci", secret)).status).toBe(404);
  });

  test("starts the workflow with values of the call", async () => {
    await make("filled");
    const workflow_arg = {
      parameters: [{ name: "version", value: "{{.payload.release.tags.1}} by {{.payload.by}}{{.payload.absent}}" }],
      inputs: [{ job_name: "a" }],
    };
    await add("filled", { workflow_arg });
    const body = { release: { tags: ["v1", "v2"] }, by: "Ada" };
    const answer = await ring("filled", "ci", secret, body);
    expect([answer.status, answer.json]).toEqual([202, { delivery_id: expect.stringMatching(/^[0-9a-f]{24}$/) }]);
    expect(await settled("filled")).toMatchObject([
      { delivery_id: answer.json.delivery_id, status: "started", task_id: 1, kind: "generalhook", trigger: "ci" },
    ]);
    expect(await paramOf("filled", 1)).toBe("v2 by Ada");
    const task = await tasks.end("filled", 1);
    expect(task).toMatchObject({ status: "passed", task_creator: "generalhook" });
  });

  test("brings no variables of its own: they could name credentials", async () => {
    await make("closed");
    await add("closed", { workflow_arg: { parameters: [{ name: "version", value: "got {{.payload.title}}" }] } });
    await ring("closed", "ci", secret, { title: "{{.workflow.params.password}}" });
    await settled("closed");
    expect(await paramOf("closed", 1)).toBe("got { {.workflow.params.password}}");
  });

  test("starts once for a delivery id, and anew for each call without one", async () => {
    await make("once");
    await add("once", {});
    const same = { "x-slipway-delivery": "4711" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => ring("once", "ci", secret, {}, same)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map(({ json }) => json.delivery_id)).size).toBe(1);
    expect(await settled("once")).toHaveLength(1);
    await ring("once", "ci", secret);
    await ring("once", "ci", secret);
    expect((await settled("once", 3)).map(({ task_id }) => task_id).sort()).toEqual([1, 2, 3]);
  });

  test("does not start twice when its delivery is worked off by many at once, and again after a kill", async () => {
    await make("raced");
    await add("raced", {});
    await ring("raced", "ci", secret);
    const [delivery] = await settled("raced");
    const [item] = await table().query<{ workflowId: string }>({ pk: "triggers#raced" });
    const ref = { workflowId: item?.workflowId, deliveryId: delivery?.delivery_id, kind: "generalhook", trigger: "ci" };
    // As if whoever took it in had died before the starter was told: open again, under another id, and told many times.
    const key = { pk: `hook-deliveries#${item?.workflowId}`, sk: `${delivery?.delivery_id}#generalhook#ci` };
    const found = await table().get<Record<string, unknown>>(key);
    const again = { ...found, sk: `${"f".repeat(24)}#generalhook#ci`, deliveryId: "f".repeat(24), status: "accepted" };
    await table().write({
      kind: "put",
      item: { ...again, pk: key.pk, type: "hook-delivery", version: 1, duePk: "hook-deliveries", dueSk: "1" },
    });
    const open = { ...ref, deliveryId: "f".repeat(24) };
    await Promise.all(Array.from({ length: 6 }, () => invokeLater("trigger-starter", open)));
    await slipway.runtime.reconcile();
    const after = await settled("raced", 2);
    expect(after).toMatchObject([
      { delivery_id: "f".repeat(24), status: "started", task_id: 2 },
      { status: "started", task_id: 1 },
    ]);
    const list = await slipway.call<{ total: number }>("GET", "/openapi/workflows/custom/raced/tasks?projectKey=shop");
    expect(list.json.total).toBe(2);
  });

  test("is replayed with what came in, by the trigger as it is now", async () => {
    await make("again");
    await add("again", { workflow_arg: { parameters: [{ name: "version", value: "{{.payload.tag}}" }] } });
    const first = await ring("again", "ci", secret, { tag: "v7" });
    await settled("again");
    const workflow_arg = { parameters: [{ name: "version", value: "again {{.payload.tag}}" }] };
    await call("PUT", "/generalhook/again", { body: { name: "ci", workflow_arg } });
    const answer = await triggers.replay("again", first.json.delivery_id);
    expect(answer.status).toBe(202);
    expect(await settled("again", 2)).toMatchObject([
      { delivery_id: answer.json.delivery_id, replay_of: first.json.delivery_id, task_id: 2 },
      { delivery_id: first.json.delivery_id, replay_of: "", task_id: 1 },
    ]);
    expect(await paramOf("again", 2)).toBe("again v7");
    expect((await triggers.replay("again", "f".repeat(24))).status).toBe(404);
  });

  test("says why nothing was started: who saved it may not run it any more, or the workflow does not start", async () => {
    await make("refused", { disabled: true });
    await add("refused", {});
    await ring("refused", "ci", secret);
    expect(await settled("refused")).toMatchObject([{ status: "failed", problem: "workflow is disabled" }]);
    await make("orphaned");
    await add("orphaned", {});
    const leaver = await storedPerson("A Leaver");
    const [item] = await table().query<Record<string, unknown>>({ pk: "triggers#orphaned" });
    await table().write({
      kind: "put",
      item: {
        ...item,
        pk: "triggers#orphaned",
        sk: "generalhook#ci",
        type: "trigger",
        savedBy: { uid: leaver.uid, name: "A Leaver" },
      },
    });
    await ring("orphaned", "ci", secret);
    const [delivery] = await settled("orphaned");
    expect(delivery).toMatchObject({ status: "failed", task_id: 0 });
    expect(delivery?.problem).toContain("A Leaver, who saved the trigger, may not run the workflow");
  });

  test("refuses a wrong secret with 401, unknown ones with 404, and what is too large with 413", async () => {
    await make("guarded");
    await add("guarded", {});
    expect((await ring("guarded", "ci", "another-secret")).status).toBe(401);
    expect((await ring("guarded", "ci", "")).status).toBe(401);
    expect((await ring("guarded", "nobody", secret)).status).toBe(404);
    expect((await ring("nowhere", "ci", secret)).status).toBe(404);
    expect((await ring("guarded", "ci", secret, { text: "x".repeat(10 * 1024 * 1024) })).status).toBe(413);
    expect((await ring("guarded", "ci", secret, { text: "x".repeat(6_000_000) })).status).toBe(413);
    expect((await ring("guarded", "ci", secret, "{")).status).toBe(400);
    expect(await deliveries("guarded")).toEqual([]);
  });

  test("takes a body of megabytes", async () => {
    await make("large");
    await add("large", { workflow_arg: { parameters: [{ name: "version", value: "{{.payload.tag}}" }] } });
    expect((await ring("large", "ci", secret, { tag: "v1", text: "x".repeat(3_000_000) })).status).toBe(202);
    await settled("large");
    expect(await paramOf("large", 1)).toBe("v1");
    await call("PUT", "/generalhook/large", {
      body: { name: "ci", workflow_arg: { parameters: [{ name: "version", value: "{{.payload.text}}" }] } },
    });
    await ring("large", "ci", secret, { text: "x".repeat(70_000) });
    expect((await settled("large", 2))[0]).toMatchObject({
      ...{ status: "failed", task_id: 0 },
      problem: "payload.text is longer than 65536 characters; use a part of it",
    });
  });

  test("goes with its workflow: one made again under the key has none of it", async () => {
    await make("passing");
    await add("passing", {});
    const gone = await slipway.call("DELETE", "/openapi/workflows/custom?workflowKey=passing&projectKey=shop");
    expect(gone.status).toBe(200);
    await waitFor("the hook to be gone", async () => (await ring("passing", "ci", secret)).status === 404);
    await make("passing");
    expect((await ring("passing", "ci", secret)).status).toBe(404);
    expect((await call("GET", "/generalhook/passing")).json).toEqual([]);
    expect((await add("passing", {})).json).toEqual(success);
  });

  test.each([
    [{ name: "a b" }, "name", "must have 1 to 64 letters, digits, dots, hyphens and underscores"],
    [{ secret: "" }, "secret", "is required; callers send it as X-Slipway-Token"],
    [{ secret: "short" }, "secret", "must have at least 8 characters; callers send it as X-Slipway-Token"],
    [{ enabled: "yes" }, "enabled", "must be true or false"],
    [
      { workflow_arg: { parameters: [{ name: "colour", value: "red" }] } },
      "workflow_arg.parameters[0].name",
      "colour is not in the workflow, which has version, password",
    ],
    [
      { workflow_arg: { inputs: [{ job_name: "b" }] } },
      "workflow_arg.inputs[0].job_name",
      "b is not in the workflow, which has a",
    ],
  ])("is refused as %j", async (body, path, problem) => {
    await make("wrong").catch(() => undefined);
    const answer = await add("wrong", body);
    expect([answer.status, problemsOf(answer)]).toEqual([400, [{ path, problem }]]);
  });
});
