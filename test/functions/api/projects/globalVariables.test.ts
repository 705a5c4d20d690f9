import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;
const read = (token?: string) =>
  slipway.call("GET", "/openapi/projects/project/globalVariable?projectKey=demo", token === undefined ? {} : { token });
const write = (list: unknown, options: { form?: string; token?: string; project?: string } = {}) =>
  slipway.call("PUT", `/api/aslan/project/products/${options.project ?? "demo"}/${options.form ?? "globalVariables"}`, {
    body: { global_variables: list },
    ...(options.token !== undefined && { token: options.token }),
  });

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_key: "demo", project_name: "Demo", project_type: "yaml", is_public: false };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

describe("definitions of global variables", () => {
  test("begin empty, are replaced as a whole and kept apart by kind", async () => {
    expect((await read()).json).toEqual({ variables: [], production_variables: [] });
    expect((await write([{ key: "old", value: 1, type: "string" }])).json).toEqual({ message: "success" });
    await write([{ key: "zone", value: "a", type: "enum", options: ["a", "b"], desc: "where" }]);
    await write([{ key: "cfg", value: { a: 1 }, type: "yaml" }], { form: "productionGlobalVariables" });
    expect((await read()).json).toEqual({
      variables: [{ key: "zone", value: "a", type: "enum", options: ["a", "b"], desc: "where" }],
      production_variables: [{ key: "cfg", value: "a: 1\n", type: "yaml", options: [], desc: "" }],
    });
  });

  test("name every wrong one, and a wrong list changes nothing", async () => {
    const before = (await read()).text;
    const twice = await write([
      { key: "a", value: "1", type: "string" },
      { key: "a", value: "2", type: "string" },
    ]);
    expect(twice.json).toMatchObject({ code: 400, description: expect.stringContaining("duplicated key: a") });
    const wrong = await write([
      { key: "flag", value: "maybe", type: "bool" },
      { key: "zone", value: "c", type: "enum", options: ["a"] },
    ]);
    expect(wrong.json).toMatchObject({
      code: 400,
      extra: {
        problems: [
          { in: "body", path: "global_variables[0].value" },
          { in: "body", path: "global_variables[1].value" },
        ],
      },
    });
    expect((await write("none")).json).toMatchObject({ code: 400 });
    expect((await write([{ key: "a", type: "string" }])).json).toMatchObject({ code: 400 });
    expect((await write([{ key: "a", value: "x", type: "secret" }])).json).toMatchObject({ code: 400 });
    expect((await write([{ key: "big", value: "x".repeat(200_000), type: "string" }])).json).toMatchObject({
      code: 400,
      description: expect.stringContaining("at most"),
    });
    expect((await read()).text).toBe(before);
  });

  test("need edit_service, edit_production_service to change and get_service or get_environment to read", async () => {
    const editor = await newPerson("editor", [{ namespace: "demo", roles: { r: ["edit_service"] } }]);
    const reader = await newPerson("reader", [{ namespace: "demo", roles: { r: ["get_environment"] } }]);
    expect((await write([], { token: editor.token })).status).toBe(200);
    expect((await write([], { token: editor.token, form: "productionGlobalVariables" })).status).toBe(403);
    expect((await read(editor.token)).status).toBe(403);
    expect((await read(reader.token)).status).toBe(200);
    expect((await write([], { token: reader.token })).status).toBe(403);
  });

  test("of an unknown project are 404", async () => {
    expect((await write([], { project: "missing" })).json).toMatchObject({ code: 404 });
    const answer = await slipway.call("GET", "/openapi/projects/project/globalVariable?projectKey=missing");
    expect(answer.json).toMatchObject({ code: 404 });
  });
});
