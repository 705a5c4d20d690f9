import { afterAll, beforeAll, expect, test } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { startShop } from "../harness/tasks.ts";

let slipway: Slipway;

beforeAll(async () => {
  ({ slipway } = await startShop());
});

afterAll(() => slipway.close());

const script = (name: string, more: object = {}) => ({
  ...{ name, type: "freestyle" },
  spec: { script: "echo {{.workflow.params.who}} {{.State.Status}}\n", script_type: "shell", ...more },
});
const approver = async () => {
  const body = { name: "ann", account: "ann", password: "Passw0rd-1" };
  const { json } = await slipway.call<{ uid: string }>("POST", "/api/v1/users", { body });
  return { type: "user", user_id: json.uid, user_name: "ann" };
};

/** What a workflow may hold, as callers write it. */
async function definitions(): Promise<Record<string, object>> {
  const ann = await approver();
  const native_approval = { needed_approvers: 1, approve_users: [ann], timeout: 30 };
  return {
    bare: { stages: [{ name: "one", jobs: [script("say")] }] },
    "with-parameters": {
      ...{ display_name: "With parameters", description: "all kinds", concurrency_limit: 3, remark: "kept" },
      params: [
        { name: "who", type: "string", value: "world", description: "whom" },
        { name: "size", type: "choice", value: "s", choice_option: ["s", "m"] },
        { name: "many", type: "multi-select", choice_value: ["a"], choice_option: ["a", "b"] },
        { name: "pin", type: "string", value: "s3cret", is_credential: true },
      ],
      share_storages: [{ name: "cache", path: "/cache" }],
      stages: [{ name: "one", parallel: true, jobs: [script("say"), script("again")] }],
    },
    "with-people": {
      stages: [
        {
          ...{ name: "asked", approval: { enabled: true, type: "native", native_approval } },
          manual_exec: { enabled: true, manual_exec_users: [ann] },
          jobs: [script("say")],
        },
        { name: "two", jobs: [{ name: "ask", type: "approval", spec: { type: "native", native_approval } }] },
      ],
    },
    "with-policies": {
      notify_ctls: [
        {
          ...{
            enabled: true,
            webhook_type: "feishu",
            feishu_webhook: "https://open.feishu.cn/open-apis/bot/v2/hook/x",
          },
          notify_type: ["failed"],
        },
      ],
      stages: [
        {
          name: "one",
          jobs: [
            {
              ...script("say", {
                runtime: { infrastructure: "kubernetes", build_os: "focal", image_from: "koderover" },
                envs: [{ key: "A", value: "1", type: "string" }],
                advanced_settings: { timeout: 5, outputs: [{ name: "OUT", description: "" }] },
              }),
              ...{ run_policy: "force_run", error_policy: { policy: "retry", maximum_retry: 2 } },
              execute_policy: {
                ...{ type: "execute", match_rule: "all" },
                rules: [{ field: "{{.project}}", verb: "=", value: "shop" }],
              },
            },
            { name: "later", type: "workflow-trigger", spec: { fixed_workflow_list: [{ workflow_name: "bare" }] } },
            { name: "odd", type: "sae-deploy", spec: { env: "dev", anything: [1, null, { deep: true }] } },
          ],
        },
      ],
    },
  };
}

type Detail = Record<string, unknown> & { workflow_key: string; project_key: string };

async function detailOf(name: string): Promise<Detail> {
  const path = `/openapi/workflows/custom/${name}/detail?projectKey=shop`;
  const { status, json, text } = await slipway.call<Detail>("GET", path);
  expect(status, text).toBe(200);
  return json;
}

/** What differs from one save to the next. */
const lasting = ({ update_time: _at, create_time: _since, workflow_id: _id, id: _same, ...rest }: Detail) => rest;

test("a workflow that was read is the same when it is sent back, under its key or the names of a new one", async () => {
  for (const [name, more] of Object.entries(await definitions())) {
    const body = { name, project: "shop", ...more };
    const saved = await slipway.call("POST", "/openapi/workflows/custom", { body });
    expect(saved.status, `${name}: ${saved.text}`).toBe(200);
    const read = await detailOf(name);
    const path = `/openapi/workflows/custom/${name}`;
    for (const sent of [read, { ...read, name, project: read.project_key }]) {
      const { status, text } = await slipway.call("PUT", path, { body: sent });
      expect(status, `${name}: ${text}`).toBe(200);
      expect(lasting(await detailOf(name)), name).toEqual(lasting(read));
    }
    const copy = `${name}-copy`;
    const copied = { ...read, name: copy, project: read.project_key, workflow_key: copy, display_name: copy };
    const made = await slipway.call<{ description: string }>("POST", "/openapi/workflows/custom", { body: copied });
    if (name === "with-parameters") {
      // A credential that is masked is no credential of another workflow.
      expect(made.json.description).toContain("params.pin.value: ******** keeps a stored credential");
      continue;
    }
    expect(made.status, `${copy}: ${made.text}`).toBe(200);
    const { workflow_key, workflow_name, display_name, ...rest } = lasting(await detailOf(copy));
    const { workflow_key: _key, workflow_name: _name, display_name: _shown, ...before } = lasting(read);
    expect(rest, copy).toEqual(before);
    expect([workflow_key, [workflow_name, display_name].includes(copy)]).toEqual([copy, true]);
  }
});
