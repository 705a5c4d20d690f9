import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { content, type KeyVal, startForTemplates, type TemplateCalls, templates, text } from "./templateCalls.ts";

interface List {
  yaml_template: { id: string; name: string; variables: KeyVal[] }[];
  total: number;
}

const absent = "f".repeat(24);
let slipway: TemplateCalls;

beforeAll(async () => {
  slipway = await startForTemplates();
});

afterAll(() => slipway.close());

const list = async (query = "") => (await slipway.call<List>("GET", `${templates}${query}`)).json;
const post = (body: unknown) => slipway.call("POST", templates, { body });

describe("YAML templates", () => {
  test("are created, listed, read, changed and deleted", async () => {
    const crlf = content("nginx:{{.tag}}").replaceAll("\n", "\r\n");
    const id = await slipway.create("web", crlf, [{ ...text("replicas", 2), desc: "how many" }]);
    const variables = [
      { key: "replicas", value: 2, type: "string", options: [], desc: "how many" },
      { key: "tag", value: "", type: "string", options: [], desc: "" },
    ];
    expect((await slipway.call("GET", `${templates}/${id}`)).json).toEqual({
      id,
      name: "web",
      content: crlf,
      service_variable_kvs: variables,
      created_by: "admin",
      created_time: expect.any(Number),
      update_by: "admin",
      update_time: expect.any(Number),
    });
    expect(await list()).toEqual({ yaml_template: [{ id, name: "web", variables }], total: 1 });
    const changed = await slipway.change(id, "frontend", content("nginx:2"));
    expect(changed.json).toEqual({ message: "success", updated: 0, failed: [], pending: 0 });
    expect(await list()).toEqual({ yaml_template: [{ id, name: "frontend", variables: [] }], total: 1 });
    expect(await slipway.create("web", content("nginx"))).not.toBe(id);
    for (let times = 0; times < 2; times++)
      expect((await slipway.call("DELETE", `${templates}/${id}`)).json).toEqual({ message: "success" });
    expect((await slipway.call("GET", `${templates}/${id}`)).json).toMatchObject({ code: 404 });
    expect((await list()).total).toBe(1);
  });

  test("come in pages by name", async () => {
    for (const name of ["page-c", "page-a", "page-b"]) await slipway.create(name, content("nginx"));
    const all = (await list("?pageSize=200")).yaml_template.map(({ name }) => name);
    expect(all).toEqual([...all].sort());
    const second = await list("?page_num=2&page_size=2");
    expect(second.yaml_template.map(({ name }) => name)).toEqual(all.slice(2, 4));
    expect(second.total).toBe(all.length);
    expect((await list("?pageNum=99")).yaml_template).toEqual([]);
    expect((await slipway.call("GET", `${templates}?pageNum=x`)).json).toMatchObject({ code: 400 });
  });

  test("of 64 KB and more come back byte for byte", async () => {
    const large = content("nginx", `# ${"ä".repeat(50_000)}\n`);
    const id = await slipway.create("large", large);
    const { json } = await slipway.call<{ content: string }>("GET", `${templates}/${id}`);
    expect(json.content === large).toBe(true);
  });

  test.each([
    ["no name", { name: undefined }, 400],
    ["a name with a slash", { name: "a/b" }, 400],
    ["a name of 65 characters", { name: "n".repeat(65) }, 400],
    ["no content", { content: "" }, 400],
    ["a number as content", { content: 7 }, 400],
    ["a key given twice", { service_variable_kvs: [text("a", 1), text("a", 2)] }, 400],
    ["an unknown type", { service_variable_kvs: [{ key: "a", value: 1, type: "number" }] }, 400],
    ["a value that does not fit", { service_variable_kvs: [{ key: "a", value: "maybe", type: "bool" }] }, 6045],
    ["a placeholder that does not close", { content: "a: {{.b" }, 6045],
    ["text that is no manifest", { content: "- a\n" }, 6045],
    ["no object", { content: "# nothing\n" }, 6045],
    ["tabs", { content: "kind: A\n\tb: c\n" }, 6045],
    ["3 MB", { content: content("nginx", `# ${"x".repeat(3_000_000)}\n`) }, 6045],
    ["100 KB of values", { service_variable_kvs: [text("a", "x".repeat(100_000))] }, 6045],
  ])("with %s are refused and kept nowhere", async (_, rest, code) => {
    const before = (await list()).total;
    const answer = await post({ name: "refused", content: content("nginx"), ...rest });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ type: "error", code });
    expect((await list()).total).toBe(before);
  });

  test("have names of their own, also when 20 of one name are created at once", async () => {
    const body = { name: "raced", content: content("nginx") };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, json } of answers.filter(({ status }) => status !== 200))
      expect([status, json]).toEqual([400, expect.objectContaining({ code: 6040 })]);
    const other = await slipway.create("not-raced", content("nginx"));
    expect((await slipway.change(other, "raced", content("nginx"))).json).toMatchObject({ code: 6041 });
  });

  test("that do not exist are 404", async () => {
    expect((await slipway.change(absent, "x", content("nginx"))).json).toMatchObject({ code: 404 });
    expect((await slipway.call("POST", `${templates}/${absent}/reference`)).json).toMatchObject({ code: 404 });
    expect((await slipway.call("GET", `${templates}/no-id`)).json).toMatchObject({ code: 404 });
  });

  test("are the system administrators' alone", async () => {
    const { token } = await newPerson("templater", [{ namespace: "demo", roles: { "project-admin": [] } }]);
    for (const [method, path] of [
      ["GET", templates],
      ["POST", templates],
      ["GET", `${templates}/${absent}`],
      ["PUT", `${templates}/${absent}`],
      ["DELETE", `${templates}/${absent}`],
      ["POST", `${templates}/${absent}/reference`],
    ] as const)
      expect((await slipway.call(method, path, { token, ...(method !== "GET" && { body: {} }) })).status).toBe(403);
  });
});

describe("a service from a template", () => {
  test.each(["test", "production"] as const)("of kind %s has its text and variables", async (kind) => {
    await slipway.create(`base-${kind}`, content("{{.registry}}/app:{{.tag}}"), [
      { key: "tag", value: "v1", type: "enum", options: ["v1", "v2"], desc: "the tag" },
      text("unused", "kept"),
    ]);
    const variable_yaml = [
      { key: "stranger", value: "x" },
      { key: "tag", value: "v2" },
      { key: "registry", value: "reg.io" },
    ];
    const sent = { variable_yaml, production: kind === "test", yaml: "ignored" };
    expect((await slipway.load("api", `base-${kind}`, sent, kind)).json).toEqual({ message: "success" });
    expect((await slipway.read("api", kind)).json).toMatchObject({
      source: "template",
      template_name: `base-${kind}`,
      yaml: content("{{.registry}}/app:{{.tag}}").replaceAll("$T-Service$", "api").replaceAll("$T-Project$", "demo"),
      containers: [{ name: "main", image: "reg.io/app:v2" }],
      service_variable_kvs: [
        { key: "tag", value: "v2", type: "enum", options: ["v1", "v2"], desc: "the tag" },
        { key: "unused", value: "kept" },
        { key: "registry", value: "reg.io", type: "string" },
        { key: "stranger", value: "x", type: "string", options: [], desc: "" },
      ],
    });
    expect((await slipway.load("api", `base-${kind}`, {}, kind)).json).toMatchObject({ code: 6040 });
  });

  test("is told wrong fields all at once, and what is missing", async () => {
    const wrong = await slipway.load("Upper", "", { variable_yaml: {}, auto_sync: "yes" });
    expect(wrong.json).toMatchObject({ code: 400 });
    for (const problem of ["service name should be lowercase", "template_name cannot be empty", "auto_sync"])
      expect(wrong.text).toContain(problem);
    expect((await slipway.load("raw", "base-test")).json).toMatchObject({ code: 400 });
    expect((await slipway.load("x", "nowhere")).json).toMatchObject({
      code: 404,
      description: "failed to find template of name: nowhere",
    });
    expect((await slipway.load("x", "base-test", { project_key: "nowhere" })).json).toMatchObject({ code: 404 });
    expect((await slipway.load("x", "base-test", { project_key: undefined })).json).toMatchObject({ code: 400 });
    const values = [{ key: "tag", value: "v3" }];
    expect((await slipway.load("x", "base-test", { variable_yaml: values })).json).toMatchObject({ code: 6045 });
    await slipway.create("nested", content("nginx:{{.cfg.tag}}"), [{ key: "cfg", value: "tag: 1", type: "yaml" }]);
    const cfg = [{ key: "cfg", value: "other: 1" }];
    expect((await slipway.load("x", "nested", { variable_yaml: cfg })).json).toMatchObject({
      code: 6045,
      description: expect.stringContaining("cfg.tag"),
    });
    expect((await slipway.read("x")).status).toBe(404);
  });

  test("is made by who may create services of its kind", async () => {
    const { token } = await newPerson("creator", [{ namespace: "demo", roles: { maker: ["create_service"] } }]);
    const body = { service_name: "theirs", project_key: "demo", template_name: "base-test" };
    const load = (kind: string) => slipway.call("POST", `/openapi/service/template/${kind}load/yaml`, { token, body });
    expect((await load("production/")).status).toBe(403);
    expect((await load("")).status).toBe(200);
  });

  test("follows its template only with auto_sync, and then its YAML is the template's", async () => {
    await slipway.create("guarded", content("nginx:{{.tag}}"), [text("tag", "1")]);
    await slipway.load("following", "guarded", { auto_sync: true });
    await slipway.load("free", "guarded");
    const put = (name: string) =>
      slipway.call("PUT", `/openapi/service/yaml/${name}?projectKey=demo`, {
        body: { type: "k8s", yaml: content("own").replaceAll("$T-Service$", name).replaceAll("$T-Project$", "demo") },
      });
    expect((await put("following")).json).toMatchObject({
      code: 6092,
      description: "service is created by template and auto_sync is true, can't update",
    });
    expect((await put("free")).status).toBe(200);
    expect((await slipway.read("free")).json).toMatchObject({ source: "spock", template_name: "" });
    const changed = await slipway.call("PUT", "/openapi/service/yaml/following/variable?projectKey=demo", {
      body: { service_variable_kvs: [text("tag", "2")] },
    });
    expect(changed.json).toEqual({ message: "success" });
    expect((await slipway.read("following")).json).toMatchObject({
      source: "template",
      template_name: "guarded",
      containers: [{ image: "nginx:2" }],
    });
  });

  test("comes with a project too, beside services of its own text", async () => {
    const id = await slipway.create("initial", content("nginx:{{.tag}}"), [text("tag", "1")]);
    const fromTemplate = { source: "template", template_name: "initial", auto_sync: true };
    const init = (project_key: string, services: object[]) =>
      slipway.call("POST", "/openapi/projects/project/init/yaml", {
        body: { project_name: project_key, project_key, service_list: services, env_list: [] },
      });
    const many = Array.from({ length: 60 }, (_, at) => ({
      service_name: `many-${at}`,
      ...fromTemplate,
      variable_yaml: [{ key: "tag", value: String(at) }],
    }));
    const own = { service_name: "own", source: "yaml", yaml: content("own") };
    expect((await init("begun", [...many, own])).json).toEqual({ message: "success" });
    expect((await slipway.read("many-7", "test", "begun")).json).toMatchObject({
      source: "template",
      template_name: "initial",
      containers: [{ image: "nginx:7" }],
    });
    expect((await slipway.read("own", "test", "begun")).json).toMatchObject({ source: "spock", template_name: "" });
    const { json } = await slipway.change(id, "initial", content("httpd:{{.tag}}"), [text("tag", "1")]);
    expect(json).toEqual({ message: "success", updated: 60, failed: [], pending: 0 });
    expect((await slipway.read("many-7", "test", "begun")).json.containers).toMatchObject([{ image: "httpd:7" }]);
    const refused = await init("unbegun", [
      { service_name: "a", ...fromTemplate, template_name: "nowhere" },
      { service_name: "b", ...fromTemplate, variable_yaml: [{ key: "tag", value: { not: "text" } }] },
    ]);
    expect(refused.json).toMatchObject({
      code: 6045,
      description: expect.stringMatching(/service a: failed to find template of name: nowhere.*service b: /),
    });
    expect((await slipway.call("GET", "/openapi/projects/project/detail?projectKey=unbegun")).status).toBe(404);
  });
});
