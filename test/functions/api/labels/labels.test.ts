import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/api/aslan/system/labels";
const bindings = "/api/aslan/service/labels";
const absent = "f".repeat(24);
let slipway: Slipway;

interface Shown {
  id: string;
  key: string;
  description: string;
  created_at: number;
  updated_at: number;
}

const config = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
const list = async () => (await slipway.call<Shown[]>("GET", path)).json;
const define = (body: unknown) => slipway.call<{ message: string; id: string }>("POST", path, { body });
const idOf = async (key: string) => (await define({ key })).json.id;
const service = async (name: string, production = false) => {
  const prefix = production ? "/openapi/service/yaml/production" : "/openapi/service/yaml";
  const body = { service_name: name, yaml: config(name) };
  expect((await slipway.call("POST", `${prefix}/raw?projectKey=demo`, { body })).status).toBe(200);
};
const bind = (service_name: string, label_id: string, value: string, rest: object = {}) =>
  slipway.call("POST", bindings, { body: { project_key: "demo", service_name, label_id, value, ...rest } });
const unbind = (service_name: string, label_id: string, rest: object = {}) =>
  slipway.call("DELETE", bindings, { body: { project_key: "demo", service_name, label_id, ...rest } });
const read = (name: string, rest = "") =>
  slipway.call<unknown>("GET", `/openapi/service/yaml/${name}/labels?projectKey=demo${rest}`);

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_key: "demo", project_name: "Demo", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

describe("labels", () => {
  test("are defined, listed by key, changed and deleted", async () => {
    const made = await define({ key: "team", description: "who looks after it" });
    expect(made.json).toEqual({ message: "success", id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    const { id } = made.json;
    await define({ key: "area" });
    const times = { created_at: expect.any(Number), updated_at: expect.any(Number) };
    expect(await list()).toEqual([
      { id: expect.any(String), key: "area", description: "", ...times },
      { id, key: "team", description: "who looks after it", ...times },
    ]);
    const changed = await slipway.call("PUT", `${path}/${id}`, { body: { key: "a-team", description: "others" } });
    expect(changed.json).toEqual({ message: "success" });
    expect(await list()).toMatchObject([{ id, key: "a-team", description: "others" }, { key: "area" }]);
    for (let times = 0; times < 2; times++)
      expect((await slipway.call("DELETE", `${path}/${id}`)).json).toEqual({ message: "success" });
    expect(await list()).toMatchObject([{ key: "area" }]);
    expect((await slipway.call("PUT", `${path}/${id}`, { body: { key: "again" } })).json).toMatchObject({ code: 404 });
  });

  test.each([
    ["no key", {}, "key"],
    ["an empty key", { key: "" }, "key"],
    ["a number as key", { key: 7 }, "key"],
    ["a key with a slash", { key: "a/b" }, "key"],
    ["a key of 65 characters", { key: "k".repeat(65) }, "key"],
    ["a description of 513 characters", { key: "k", description: "d".repeat(513) }, "description"],
    ["a list as body", [], ""],
  ])("with %s are refused", async (_, body, field) => {
    const answer = await define(body);
    expect(answer.json).toMatchObject({ code: 400, extra: expect.anything() });
    expect(answer.text).toContain(field);
  });

  test("have keys of their own, also when 20 of one key are defined at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => define({ key: "raced" })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const other = await idOf("other");
    const renamed = await slipway.call("PUT", `${path}/${other}`, { body: { key: "raced" } });
    expect(renamed.json).toMatchObject({ code: 400, description: expect.stringContaining("raced") });
    expect((await slipway.call("PUT", `${path}/${other}`, { body: { key: "other" } })).status).toBe(200);
  });

  test("of any spelling are kept, also many defined at once", async () => {
    const names = [
      "constructor",
      "__proto__",
      "größe",
      "two words",
      ...Array.from({ length: 12 }, (_, at) => `k${at}`),
    ];
    const answers = await Promise.all(names.map((key) => define({ key })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect((await list()).map(({ key }) => key)).toEqual(expect.arrayContaining(names));
  });
});

describe("labels of a service", () => {
  test("are shown by key with their values, under the key that the label has now", async () => {
    await service("web");
    const [tier, owner] = [await idOf("tier"), await idOf("owner")];
    expect((await read("web")).json).toEqual([]);
    expect((await bind("web", tier, "front")).json).toEqual({ message: "success" });
    await bind("web", owner, "ada");
    expect((await read("web")).json).toEqual([
      { key: "owner", value: "ada" },
      { key: "tier", value: "front" },
    ]);
    await slipway.call("PUT", `${path}/${tier}`, { body: { key: "layer" } });
    await bind("web", owner, "");
    expect((await read("web")).json).toEqual([
      { key: "layer", value: "front" },
      { key: "owner", value: "" },
    ]);
    for (let times = 0; times < 2; times++)
      expect((await unbind("web", owner, { value: "" })).json).toEqual({ message: "success" });
    expect((await read("web")).json).toEqual([{ key: "layer", value: "front" }]);
  });

  test("are apart for test and production services and together without the parameter", async () => {
    await service("two");
    await service("two", true);
    const id = await idOf("kind");
    await bind("two", id, "of-test");
    await bind("two", id, "of-production", { production: true });
    expect((await read("two", "&production=false")).json).toEqual([{ key: "kind", value: "of-test" }]);
    expect((await read("two", "&production=true")).json).toEqual([{ key: "kind", value: "of-production" }]);
    const values = ((await read("two")).json as { value: string }[]).map(({ value }) => value);
    expect(values.sort()).toEqual(["of-production", "of-test"]);
  });

  test("stay when the service is changed and go when it is deleted", async () => {
    await service("lasting");
    await bind("lasting", await idOf("lasts"), "yes");
    const at = "/openapi/service/yaml/lasting?projectKey=demo";
    const body = { type: "k8s", yaml: config("changed") };
    expect((await slipway.call("PUT", at, { body })).status).toBe(200);
    expect((await read("lasting")).json).toEqual([{ key: "lasts", value: "yes" }]);
    await slipway.call("DELETE", at);
    expect((await read("lasting")).json).toMatchObject({ code: 404 });
    await service("lasting");
    expect((await read("lasting")).json).toEqual([]);
  });

  test("whose definition is missing cannot be read: 500 in the specification's words", async () => {
    await service("broken");
    const id = await idOf("doomed");
    await bind("broken", id, "x");
    await slipway.call("DELETE", `${path}/${id}`);
    const answer = await read("broken");
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      type: "error",
      code: 500,
      message: "Internal Error",
      description: expect.stringContaining(id),
      extra: {},
    });
    await unbind("broken", id);
    expect((await read("broken")).json).toEqual([]);
  });

  test("given at the same moment, also while the service is edited, are all kept", async () => {
    await service("busy");
    const ids = await Promise.all(Array.from({ length: 10 }, (_, at) => idOf(`busy-${at}`)));
    const edits = ids.map((_, at) =>
      slipway.call("PUT", "/openapi/service/yaml/busy?projectKey=demo", {
        body: { type: "k8s", yaml: config(`edit-${at}`) },
      }),
    );
    const bound = await Promise.all(ids.map((id, at) => bind("busy", id, String(at))));
    expect(bound.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect((await Promise.all(edits)).some(({ status }) => status === 200)).toBe(true);
    expect((await read("busy")).json).toHaveLength(10);
  });

  test("must exist, as the service must", async () => {
    await service("lonely");
    expect((await bind("lonely", absent, "x")).json).toMatchObject({ code: 404 });
    expect((await bind("nobody", await idOf("free"), "x")).json).toMatchObject({ code: 404 });
    expect((await bind("lonely", "not-an-id", "x")).json).toMatchObject({ code: 400 });
    expect((await bind("lonely", absent, "x".repeat(257))).json).toMatchObject({ code: 400 });
    expect((await slipway.call("POST", bindings, { body: {} })).json).toMatchObject({ code: 400 });
    expect((await unbind("nobody", absent)).json).toEqual({ message: "success" });
  });

  test("are given by who may edit services, and defined by system administrators alone", async () => {
    await service("guarded");
    const id = await idOf("guard");
    const editor = await newPerson("label-editor", [{ namespace: "demo", roles: { editor: ["edit_service"] } }]);
    const reader = await newPerson("label-reader", [{ namespace: "demo", roles: { reader: ["get_service"] } }]);
    const body = { project_key: "demo", service_name: "guarded", label_id: id, value: "x" };
    expect((await slipway.call("POST", bindings, { body, token: reader.token })).status).toBe(403);
    expect((await slipway.call("POST", bindings, { body, token: editor.token })).status).toBe(200);
    const elsewhere = { ...body, project_key: "other" };
    expect((await slipway.call("POST", bindings, { body: elsewhere, token: editor.token })).status).toBe(403);
    expect((await slipway.call("GET", path, { token: editor.token })).status).toBe(403);
    expect((await slipway.call("POST", path, { body: { key: "mine" }, token: editor.token })).status).toBe(403);
  });
});
