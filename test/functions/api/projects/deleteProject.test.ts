import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../../../functions/triggers/reconciler/handler.ts";
import { removeBindingsIn } from "../../../../shared/access/identity/store/bindings.ts";
import { keys, lists } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { ConditionFailed } from "../../../../shared/base/store/tableClient.ts";
import { projectMustBeLeaving } from "../../../../shared/projects/store/projects.ts";
import { removeAllWorkflows } from "../../../../shared/workflows/saved/deleteWorkflow.ts";
import { untilStatus } from "../../../harness/boutique.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const create = (key: string) =>
  slipway.call("POST", "/openapi/projects/project", {
    body: { project_key: key, project_name: key, project_type: "yaml", is_public: true },
  });
const remove = (key: string, query = "&isDelete=true", token?: string) =>
  slipway.call("DELETE", `/openapi/projects/project?projectKey=${key}${query}`, token === undefined ? {} : { token });
const detail = (key: string) => slipway.call("GET", `/openapi/projects/project/detail?projectKey=${key}`);

const saveWorkflow = async (project: string) => {
  const body = { name: `of-${project}`, display_name: `of ${project}`, project };
  expect((await slipway.call("POST", "/api/aslan/workflow/v4", { body })).status).toBe(200);
  const view = { project_key: project, name: "all" };
  expect((await slipway.call("POST", "/openapi/workflows/view", { body: view })).status).toBe(200);
};

describe("deleting a project", () => {
  test("takes services, roles, grants and name with it, and the key can be used again", async () => {
    await create("short");
    const body = { service_name: "web", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" };
    await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=short", { body });
    expect((await remove("short")).json).toEqual({ message: "success" });
    expect((await detail("short")).json).toMatchObject({ code: 404 });
    for (const key of [keys.project("short"), keys.projectName("short"), keys.projectGlobals("short")])
      expect(await table().get(key)).toBeUndefined();
    expect(await table().get(keys.policy("short"))).toBeUndefined();
    expect(await table().query({ index: "list", pk: lists.bindings("short") })).toEqual([]);
    expect((await create("short")).status).toBe(200);
    const list = await slipway.call("GET", "/openapi/service/yaml/services?projectKey=short");
    expect(list.json).toEqual({ service: [] });
  });

  test("with environments shows it no more at once, frees the key when they are gone, and may be asked for again", async () => {
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held}\n`;
    const started = await slipway.call("POST", "/openapi/projects/project/init/yaml", {
      body: {
        project_key: "long",
        project_name: "Long",
        project_type: "yaml",
        is_public: false,
        service_list: [{ service_name: "held", source: "yaml", yaml }],
        env_list: [{ env_key: "dev", cluster_name: "local", namespace: "" }],
      },
    });
    expect(started.json).toEqual({ message: "success" });
    await untilStatus(slipway, "long", "dev", "succeeded");
    expect((await remove("long")).json).toEqual({ message: "success" });
    expect((await detail("long")).status).toBe(404);
    expect((await remove("long")).json).toEqual({ message: "success" });
    await waitFor("the project to be gone", async () => (await table().get(keys.project("long"))) === undefined);
    expect((await create("long")).status).toBe(200);
  });

  test("succeeds while the reconciler does the same, and the key is free when it is answered", async () => {
    let isOver = false;
    const meanwhile = (async () => {
      while (!isOver) {
        await reconciler();
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
      }
    })();
    const answers: unknown[] = [];
    try {
      for (let round = 0; round < 25; round++) {
        await create("met");
        await saveWorkflow("met");
        answers.push((await remove("met")).json);
        expect((await create("met")).status).toBe(200);
        await remove("met");
      }
    } finally {
      isOver = true;
      await meanwhile;
    }
    expect(answers).toEqual(answers.map(() => ({ message: "success" })));
  });

  test("takes nothing from a project that stands again under the key, however late it comes", async () => {
    await create("again");
    await saveWorkflow("again");
    const leaving = projectMustBeLeaving("again");
    await expect(removeAllWorkflows("again")).rejects.toThrow(ConditionFailed);
    await expect(removeBindingsIn("again", leaving)).rejects.toThrow(ConditionFailed);
    const workflow = "/openapi/workflows/custom/of-again/detail?projectKey=again";
    expect((await slipway.call("GET", workflow)).status).toBe(200);
    expect(await table().query({ index: "list", pk: lists.bindings("again") })).not.toEqual([]);
    expect((await slipway.call<unknown[]>("GET", "/openapi/workflows/view?projectKey=again")).json).toHaveLength(1);
  });

  test("needs the project's administrator; a missing one is a success for the system administrator", async () => {
    await create("guarded");
    const reader = await newPerson("reader", [{ namespace: "guarded", roles: { r: ["get_service"] } }]);
    const admin = await newPerson("keeper", [{ namespace: "guarded", roles: { "project-admin": [] } }]);
    expect((await remove("guarded", "&isDelete=true", reader.token)).status).toBe(403);
    expect((await remove("missing", "&isDelete=true", reader.token)).status).toBe(403);
    expect((await remove("guarded", "&isDelete=true", admin.token)).status).toBe(200);
    expect((await remove("missing")).json).toEqual({ message: "success" });
    expect((await detail("guarded")).status).toBe(404);
  });

  test.each(["", "&isDelete=maybe", "&isDelete="])(
    "refuses isDelete given as '%s' and keeps the project",
    async (query) => {
      await create("kept");
      expect((await remove("kept", query)).json).toMatchObject({ code: 400 });
      expect((await detail("kept")).status).toBe(200);
    },
  );

  test("is recorded with the project's key and without a body", async () => {
    await remove("never-was", "&isDelete=false");
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=project&projectKey=never-was");
    expect(logs.json).toMatchObject({
      operation_logs: [
        { method: "Delete", function: "Project Management - Project", detail: "never-was", body_type: "" },
      ],
    });
  });
});
