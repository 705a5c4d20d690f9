import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys, padded, type ServiceKind } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { dueTemplateSyncs, findFollowers } from "../../../../shared/projects/services/store/templateFollowers.ts";
import { changeTemplate, findTemplate } from "../../../../shared/projects/services/store/yamlTemplates.ts";
import { followedYaml, syncFollowers } from "../../../../shared/projects/services/syncTemplate.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { content, startForTemplates, type TemplateCalls, templates, text } from "./templateCalls.ts";

let slipway: TemplateCalls;

beforeAll(async () => {
  slipway = await startForTemplates();
});

afterAll(() => slipway.close());

const synced = (updated: number) => ({ message: "success", updated, failed: [], pending: 0 });
const revisionsOf = async (name: string, kind: ServiceKind = "test") =>
  (await table().query<object>({ pk: keys.service("demo", kind, name).pk, prefix: "revision#" })).length;
const imageOf = async (name: string, kind: ServiceKind = "test", project = "demo") =>
  (await slipway.read(name, kind, project)).json.containers[0]?.image;
const setVariables = (name: string, service_variable_kvs: unknown) =>
  slipway.call("PUT", `/openapi/service/yaml/${name}/variable?projectKey=demo`, { body: { service_variable_kvs } });
const reference = (id: string) => slipway.call("POST", `${templates}/${id}/reference`);

/** The template as a change leaves it whose sync never began. */
async function changeAlone(id: string, text: string) {
  const before = (await findTemplate(id))!;
  await changeTemplate(before, { ...before, content: text });
  return (await findTemplate(id))!;
}

/** As if the request that made the last change had been given all its time. */
async function requestIsOver(id: string): Promise<void> {
  const changes = { set: { dueSk: `${padded(1)}#${id}` } };
  await table().write({ kind: "update", key: keys.yamlTemplate(id), changes, condition: mustExist });
}

describe("a changed template", () => {
  test("reaches its services of both kinds in all projects, and none with auto_sync off", async () => {
    const id = await slipway.create("wide", content("nginx:1"));
    await slipway.load("wide", "wide", { auto_sync: true });
    await slipway.load("wide", "wide", { auto_sync: true }, "production");
    await slipway.load("wide", "wide", { auto_sync: true, project_key: "other" });
    await slipway.load("resting", "wide");
    expect((await slipway.change(id, "wider", content("nginx:2"))).json).toEqual(synced(3));
    expect(await imageOf("wide")).toBe("nginx:2");
    expect(await imageOf("wide", "production")).toBe("nginx:2");
    expect(await imageOf("wide", "test", "other")).toBe("nginx:2");
    expect((await slipway.read("wide")).json).toMatchObject({ source: "template", template_name: "wider" });
    expect(await imageOf("resting")).toBe("nginx:1");
    expect(await revisionsOf("wide")).toBe(2);
    expect(await revisionsOf("resting")).toBe(1);
    expect(await dueTemplateSyncs()).not.toContain(id);
  });

  test("brings keys, order, types and texts; a value stays where its type did", async () => {
    const id = await slipway.create("typed", content("nginx:{{.tag}}"), [
      text("tag", "1"),
      text("gone", "x"),
      text("turned", "old"),
    ]);
    const values = ["tag", "gone", "turned"].map((key) => ({ key, value: `own-${key}` }));
    await slipway.load("typed", "typed", { auto_sync: true, variable_yaml: values });
    await setVariables("typed", [text("tag", "changed")]);
    await slipway.change(id, "typed", content("nginx:{{.tag}}"), [
      { key: "turned", value: true, type: "bool" },
      text("fresh", "default"),
      { ...text("tag", "2"), desc: "described" },
    ]);
    expect((await slipway.read("typed")).json.service_variable_kvs).toEqual([
      { key: "turned", value: true, type: "bool", options: [], desc: "" },
      { key: "fresh", value: "default", type: "string", options: [], desc: "" },
      { key: "tag", value: "changed", type: "string", options: [], desc: "described" },
    ]);
  });

  test("that is the same makes no revision", async () => {
    const id = await slipway.create("same", content("nginx:1"));
    await slipway.load("same", "same", { auto_sync: true });
    expect((await slipway.change(id, "same", content("nginx:1"))).json).toEqual(synced(0));
    expect((await reference(id)).json).toEqual(synced(0));
    expect(await revisionsOf("same")).toBe(1);
  });

  test("fails for the services that it does not fit and goes on with the others; applied again, it reaches them", async () => {
    const tags = (...options: string[]) => [{ key: "tag", value: options[0], type: "enum", options }];
    const id = await slipway.create("partly", content("nginx:{{.tag}}"), tags("a", "b"));
    for (const [name, value] of Object.entries({ "fits-1": "a", unfit: "b", "fits-2": "a" }))
      await slipway.load(name, "partly", { auto_sync: true, variable_yaml: [{ key: "tag", value }] });
    const changed = await slipway.change(id, "partly", content("httpd:{{.tag}}"), tags("a", "c"));
    expect(changed.json).toEqual({
      message: "success",
      updated: 2,
      failed: [
        { project_key: "demo", service_name: "unfit", production: false, reason: expect.stringContaining("tag") },
      ],
      pending: 0,
    });
    expect([await imageOf("fits-1"), await imageOf("unfit"), await imageOf("fits-2")]).toEqual([
      "httpd:a",
      "nginx:b",
      "httpd:a",
    ]);
    expect(await dueTemplateSyncs()).not.toContain(id);
    await setVariables("unfit", [{ key: "tag", value: "c", type: "enum", options: ["c"] }]);
    expect((await reference(id)).json).toEqual(synced(1));
    expect(await imageOf("unfit")).toBe("httpd:c");
  });

  test("leaves alone what was deleted, or made again by hand", async () => {
    const id = await slipway.create("left", content("nginx:1"));
    for (const name of ["left-gone", "left-again"]) {
      await slipway.load(name, "left", { auto_sync: true });
      await slipway.call("DELETE", `/openapi/service/yaml/${name}?projectKey=demo`);
    }
    const yaml = content("own:1").replaceAll("$T-Service$", "again").replaceAll("$T-Project$", "demo");
    const body = { service_name: "left-again", yaml };
    await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=demo", { body });
    expect((await slipway.change(id, "left", content("nginx:2"))).json).toEqual(synced(0));
    expect(await imageOf("left-again")).toBe("own:1");
    expect(await findFollowers(id)).toEqual([]);
    expect((await slipway.call("DELETE", `${templates}/${id}`)).json).toEqual({ message: "success" });
  });

  test("is kept while a service follows it", async () => {
    const id = await slipway.create("used", content("nginx:1"));
    await slipway.load("user", "used", { auto_sync: true });
    await slipway.load("former-user", "used");
    const refused = await slipway.call("DELETE", `${templates}/${id}`);
    expect(refused.json).toMatchObject({
      code: 6044,
      description: expect.stringContaining("test service user of project demo"),
    });
    await slipway.call("DELETE", "/openapi/service/yaml/user?projectKey=demo");
    expect((await slipway.call("DELETE", `${templates}/${id}`)).json).toEqual({ message: "success" });
    expect((await slipway.read("former-user")).json).toMatchObject({ source: "template", template_name: "used" });
  });
});

describe("syncs at the same moment", () => {
  test("make one revision", async () => {
    const id = await slipway.create("twice", content("nginx:1"));
    const names = Array.from({ length: 12 }, (_, at) => `twice-${at}`);
    for (const name of names) await slipway.load(name, "twice", { auto_sync: true });
    const template = await changeAlone(id, content("nginx:2"));
    const followers = await findFollowers(id);
    const outcomes = await Promise.all([1, 2, 3].map(() => syncFollowers(followedYaml(template), followers, 20)));
    expect(outcomes.reduce((sum, { updated }) => sum + updated, 0)).toBe(names.length);
    expect(outcomes.map(({ failed, pending }) => [failed, pending])).toEqual(outcomes.map(() => [[], 0]));
    for (const name of names) expect([await imageOf(name), await revisionsOf(name)]).toEqual(["nginx:2", 2]);
  });

  test("never bring an older text back", async () => {
    const id = await slipway.create("late", content("nginx:1"));
    await slipway.load("late", "late", { auto_sync: true });
    const older = await changeAlone(id, content("nginx:2"));
    // Back at the first text: nothing to store, and yet the service stands at the newest version.
    expect((await slipway.change(id, "late", content("nginx:1"))).json).toEqual(synced(0));
    await syncFollowers(followedYaml(older), await findFollowers(id), 20);
    expect(await imageOf("late")).toBe("nginx:1");
  });

  test("and loads end at the newest text, whatever comes first", async () => {
    const id = await slipway.create("rush", content("nginx:0"));
    const loads = Array.from({ length: 8 }, (_, at) => slipway.load(`rush-${at}`, "rush", { auto_sync: true }));
    let newest = "nginx:0";
    for (let at = 1; at <= 3; at++)
      if ((await slipway.change(id, "rush", content(`nginx:${at}`))).status === 200) newest = `nginx:${at}`;
    const made = (await Promise.all(loads)).filter(({ status }) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    expect(newest).not.toBe("nginx:0");
    for (const { name } of await findFollowers(id)) expect(await imageOf(name)).toBe(newest);
    expect(await findFollowers(id)).toHaveLength(made);
  });

  test("of two changes of one version, one wins and the other is 409", async () => {
    const id = await slipway.create("contested", content("nginx:0"));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => slipway.change(id, "contested", content(`nginx:${at}`))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  test("and a deletion leave no service that follows nothing", async () => {
    const id = await slipway.create("torn", content("nginx:1"));
    const [removed, ...loaded] = await Promise.all([
      slipway.call("DELETE", `${templates}/${id}`),
      ...Array.from({ length: 6 }, (_, at) => slipway.load(`torn-${at}`, "torn", { auto_sync: true })),
    ]);
    const stands = (await slipway.call("GET", `${templates}/${id}`)).status === 200;
    expect(stands).toBe(loaded.some(({ status }) => status === 200));
    expect(removed?.status === 200).toBe(!stands);
  });
});

describe("a sync of 200 services", () => {
  let id = "";

  beforeAll(async () => {
    id = await slipway.create("big", content("nginx:{{.tag}}"), [text("tag", "1")]);
    const service_list = Array.from({ length: 200 }, (_, at) => ({
      service_name: `big-${at}`,
      source: "template",
      template_name: "big",
      auto_sync: true,
      variable_yaml: [{ key: "tag", value: `v${at}` }],
    }));
    const body = { project_name: "Big", project_key: "big", service_list, env_list: [] };
    expect((await slipway.call("POST", "/openapi/projects/project/init/yaml", { body })).status).toBe(200);
  });

  test("is done within the change", async () => {
    const { json } = await slipway.change(id, "big", content("httpd:{{.tag}}"), [text("tag", "1")]);
    expect(json).toEqual(synced(200));
    for (const at of [0, 99, 199]) expect(await imageOf(`big-${at}`, "test", "big")).toBe(`httpd:v${at}`);
  });

  test("that runs out of time is finished by the reconciler", async () => {
    const template = await changeAlone(id, content("caddy:{{.tag}}"));
    const followers = await findFollowers(id);
    const early = await syncFollowers(followedYaml(template), followers.slice(0, 20), 20);
    expect(early.updated).toBe(20);
    const changed = followedYaml(await changeAlone(id, content("envoy:{{.tag}}")));
    const late = await syncFollowers(changed, followers, 0);
    expect(late).toEqual({ updated: 0, failed: [], pending: 200 });
    expect(await dueTemplateSyncs()).toContain(id);
    await requestIsOver(id);
    await slipway.runtime.reconcile();
    await waitFor("the template to be synced", async () => !(await dueTemplateSyncs()).includes(id));
    for (const at of [0, 99, 199]) expect(await imageOf(`big-${at}`, "test", "big")).toBe(`envoy:v${at}`);
  });
});
