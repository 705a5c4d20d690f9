import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";
import { expectSuccess, workflowCalls } from "./workflowCalls.ts";

let slipway: Slipway;
const calls = workflowCalls(() => slipway);

beforeAll(async () => {
  slipway = await startSlipway();
  await calls.project("demo");
  for (const name of ["a", "b", "c"]) await calls.create({ name, project: "demo" });
});

afterAll(() => slipway.close());

const views = "/openapi/workflows/view";
const item = (workflow_key: string, enabled = true) => ({ workflow_key, workflow_type: "custom", enabled });
const create = (name: string, workflow_list: unknown, token?: string) => {
  const body = { project_key: "demo", name, workflow_list };
  return slipway.call("POST", views, { body, ...(token !== undefined && { token }) });
};
const update = (name: string, workflow_list: unknown) =>
  slipway.call("PUT", `${views}/${name}?projectKey=demo`, { body: { workflow_list } });
const read = () => slipway.call<{ name: string; workflows: object[] }[]>("GET", `${views}?projectKey=demo`);
const keysOf = async (name: string) =>
  (await calls.list(`&viewName=${name}`)).json.workflows.map((w) => w.workflow_key);

describe("workflow views (contract W 9)", () => {
  test("are a bare array, the last name first, with what is enabled", async () => {
    expectSuccess(await create("first", [item("a", false), item("absent")]));
    expectSuccess(await create("second", null));
    expect((await read()).json).toEqual([
      { name: "second", project_key: "demo", update_time: expect.any(Number), update_by: "admin", workflows: [] },
      {
        name: "first",
        project_key: "demo",
        update_time: expect.any(Number),
        update_by: "admin",
        workflows: [
          { workflow_key: "a", workflow_type: "custom" },
          { workflow_key: "absent", workflow_type: "custom" },
        ],
      },
    ]);
  });

  test("filter the list of workflows; an empty one shows none, an unknown one all", async () => {
    await create("some", [item("b"), item("c")]);
    await create("none", []);
    expect(await keysOf("some")).toEqual(["b", "c"]);
    expect(await keysOf("none")).toEqual([]);
    expect(await keysOf("unknown")).toEqual(["a", "b", "c"]);
  });

  test("are patched: named ones change, new ones come when enabled, the rest stays", async () => {
    await create("patched", [item("a"), item("b")]);
    expectSuccess(await update("patched", [item("a", false), item("c"), item("absent", false)]));
    expect(await keysOf("patched")).toEqual(["b", "c"]);
    expectSuccess(await update("patched", [item("a")]));
    expect(await keysOf("patched")).toEqual(["a", "b", "c"]);
    expect((await update("patched", [item("a"), item("a")])).json).toMatchObject({ code: 400 });
    expect((await update("unknown", [])).status).toBe(404);
  });

  test("have a name of their own in the project", async () => {
    await create("twice", []);
    expect(expectError(await create("twice", []), 400, "twice").code).toBe(6892);
    const wrong = { workflow_key: "a", workflow_type: "other", enabled: true };
    expect(expectError(await create("typed", [wrong]), 400, "type").description).toContain("custom or product");
  });

  test("are deleted, also when they are gone already; those of an unknown project are 404", async () => {
    await create("leaving", []);
    const remove = () => slipway.call("DELETE", `${views}/leaving?projectKey=demo`);
    expectSuccess(await remove());
    expectSuccess(await remove());
    expectError(await slipway.call("GET", `${views}?projectKey=nowhere`), 404, "no project");
  });

  test("belong to the project's administrators", async () => {
    const editor = await newPerson("editor", [{ namespace: "demo", roles: { e: ["edit_workflow"] } }]);
    expect((await create("theirs", [], editor.token)).status).toBe(403);
    expect((await slipway.call("GET", `${views}?projectKey=demo`, { token: editor.token })).status).toBe(200);
  });
});
