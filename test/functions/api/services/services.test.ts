import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys, references } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { removeAllServices } from "../../../../shared/projects/services/store/services.ts";
import { markProjectDeleting } from "../../../../shared/projects/store/projects.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

interface Detail {
  yaml: string;
  containers: { name: string; image: string }[];
  service_variable_kvs: { key: string; value: unknown; type: string; options: string[]; desc: string }[];
}

interface Named {
  service_name: string;
}

let slipway: Slipway;
const prefixes = { test: "/openapi/service/yaml", production: "/openapi/service/yaml/production" };
type Kind = keyof typeof prefixes;

const deployment = (name: string, image = "nginx:1.27") =>
  `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: ${name}
          image: ${image}
`;

const on = (kind: Kind, path: string, project = "demo") => `${prefixes[kind]}/${path}?projectKey=${project}`;
const create = (name: unknown, rest: object = {}, kind: Kind = "test", project = "demo") =>
  slipway.call("POST", on(kind, "raw", project), {
    body: { service_name: name, yaml: deployment("web"), ...rest },
  });
const read = (name: string, kind: Kind = "test") => slipway.call<Detail>("GET", on(kind, name));
const replace = (name: string, yaml: unknown, kind: Kind = "test") =>
  slipway.call("PUT", on(kind, name), { body: { type: "k8s", yaml } });
const setVariables = (name: string, list: unknown, kind: Kind = "test") =>
  slipway.call("PUT", on(kind, `${name}/variable`), { body: { service_variable_kvs: list } });
const revisionOf = async (name: string, kind: Kind = "test"): Promise<number | undefined> =>
  (await table().get<{ revision: number }>(keys.service("demo", kind, name)))?.revision;
const revisionsOf = (name: string, kind: Kind = "test") =>
  table().query<{ revision: number }>({ pk: keys.service("demo", kind, name).pk, prefix: "revision#" });

beforeAll(async () => {
  slipway = await startSlipway();
  for (const [key, type] of [
    ["demo", "yaml"],
    ["charts", "helm"],
    ["hosted", "loaded"],
  ]) {
    const body = { project_key: key, project_name: key, project_type: type, is_public: false };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
});

afterAll(() => slipway.close());

describe.each(["test", "production"] as const)("%s services", (kind) => {
  test("tell what of their YAML is not in order, or refuse it where they are strict", async () => {
    const yaml = `${deployment("web")}          imagePullPolice: Always\n`;
    const warnings = [{ code: "undeclared_field", message: expect.stringContaining("imagePullPolice"), line: 13 }];
    expect((await create("warned", { yaml }, kind)).json).toEqual({ message: "success", warnings });
    expect((await read("warned", kind)).json).toMatchObject({ strict: false, warnings });
    const put = async (body: object) => {
      const { status, json } = await slipway.call<{ code?: number }>("PUT", on(kind, "warned"), { body });
      return { status, code: json.code };
    };
    expect(await put({ type: "k8s", yaml, strict: true })).toEqual({ status: 400, code: 6045 });
    expect(await put({ type: "k8s", yaml: deployment("web"), strict: true })).toEqual({ status: 200 });
    expect((await read("warned", kind)).json).toMatchObject({ strict: true, warnings: [] });
    expect(await put({ type: "k8s", yaml })).toEqual({ status: 400, code: 6045 });
    const preview = await slipway.call("PUT", `${on(kind, "warned")}&dryRun=true`, {
      body: { type: "k8s", yaml, strict: false },
    });
    expect(preview.json).toMatchObject({ dry_run: true, warnings });
    const revision = await revisionOf("warned", kind);
    expect(await put({ type: "k8s", yaml: deployment("web"), strict: false })).toEqual({ status: 200 });
    expect(await revisionOf("warned", kind)).toBe(revision);
    expect((await replace("warned", yaml, kind)).json).toEqual({ message: "success", warnings });
    expect((await create("refused", { yaml, strict: true }, kind)).json).toMatchObject({ code: 6045 });
    expect((await slipway.call("DELETE", on(kind, "warned"))).status).toBe(200);
  });

  test("list their revisions and read each, as long as they stand", async () => {
    const revisions = (rest = "") => slipway.call("GET", on(kind, `aged/revisions${rest}`));
    const page = (rest: string) => slipway.call("GET", `${on(kind, "aged/revisions")}&${rest}`);
    await create("aged", { yaml: deployment("web", "nginx:1") }, kind);
    for (const tag of [2, 3]) await replace("aged", deployment("web", `nginx:${tag}`), kind);
    const item = (revision: number) => ({
      ...{ revision, created_by: "admin", created_time: expect.any(Number), source: "spock" },
      images: [`nginx:${revision}`],
    });
    expect((await revisions()).json).toEqual({ total: 3, revisions: [3, 2, 1].map(item) });
    expect((await page("pageSize=2&pageNum=2")).json).toEqual({ total: 3, revisions: [item(1)] });
    expect((await page("pageSize=2&pageNum=3")).json).toEqual({ total: 3, revisions: [] });
    const first = await revisions("/1");
    expect(first.json).toMatchObject({ service_name: "aged", yaml: deployment("web", "nginx:1"), created_by: "admin" });
    expect((await revisions("/3")).json).toEqual((await read("aged", kind)).json);
    expect((await revisions("/4")).status).toBe(404);
    expect((await revisions("/first")).status).toBe(400);
    await slipway.call("DELETE", on(kind, "aged"));
    expect([(await revisions()).status, (await revisions("/1")).status]).toEqual([404, 404]);
    await create("aged", { yaml: deployment("web", "nginx:4") }, kind);
    expect((await revisions()).json).toEqual({ total: 4, revisions: [4, 3, 2, 1].map(item) });
    await slipway.call("DELETE", on(kind, "aged"));
  });

  test("are created, read, listed, replaced and deleted", async () => {
    const yaml = deployment("web", "reg.io:5000/team/web:{{.tag}}");
    const created = await create("web", { yaml, variable_yaml: [{ key: "tag", value: "v1", type: "string" }] }, kind);
    expect(created.json).toEqual({ message: "success" });
    const container = { name: "web", image: "reg.io:5000/team/web:v1", image_name: "web" };
    expect((await read("web", kind)).json).toEqual({
      service_name: "web",
      source: "spock",
      type: "k8s",
      template_name: "",
      created_by: "admin",
      created_time: expect.any(Number),
      yaml,
      containers: [{ ...container, type: "", image_path: null }],
      service_variable_kvs: [{ key: "tag", value: "v1", type: "string", options: [], desc: "" }],
      strict: false,
      warnings: [],
    });
    const item = { service_name: "web", source: "spock", type: "k8s", containers: [container] };
    const list = await slipway.call("GET", on(kind, "services"));
    expect(list.json).toEqual(kind === "test" ? { service: [item] } : [item]);
    expect((await replace("web", deployment("web", "nginx:2"), kind)).json).toEqual({ message: "success" });
    expect((await read("web", kind)).json.containers).toMatchObject([{ image: "nginx:2" }]);
    expect((await slipway.call("DELETE", on(kind, "web"))).json).toEqual({ message: "success" });
    expect((await read("web", kind)).json).toMatchObject({ code: 404 });
    expect((await slipway.call("DELETE", on(kind, "web"))).json).toEqual({ message: "success" });
  });
});

describe("test and production services", () => {
  test("of one name are two services", async () => {
    await create("both", { yaml: deployment("a") });
    await create("both", { yaml: deployment("b") }, "production");
    expect((await read("both")).json.containers).toMatchObject([{ name: "a" }]);
    await slipway.call("DELETE", on("test", "both"));
    expect((await read("both", "production")).json.containers).toMatchObject([{ name: "b" }]);
  });

  test("named labels, variable or services-x are reached by the paths of their kind", async () => {
    await create("labels", { yaml: deployment("of-production") }, "production");
    expect((await read("labels", "production")).json.containers).toMatchObject([{ name: "of-production" }]);
    expect((await read("labels")).json).toMatchObject({ code: 404 });
    await create("variable", {}, "production");
    expect((await replace("variable", deployment("replaced"), "production")).status).toBe(200);
    expect((await read("variable", "production")).json.containers).toMatchObject([{ name: "replaced" }]);
  });

  test("are listed by name, in the shape that the setting asks for", async () => {
    for (const name of ["zeta", "Alpha", "beta"]) await create(name);
    const { json } = await slipway.call<{ service: { service_name: string }[] }>("GET", on("test", "services"));
    const names = json.service.map((service) => service.service_name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(["Alpha", "beta", "zeta"]));
  });

  test("the list of a project without services is empty, of an unknown project 404, without a project 400", async () => {
    expect((await slipway.call("GET", on("production", "services", "charts"))).json).toEqual([]);
    expect((await slipway.call("GET", on("test", "services", "missing"))).json).toMatchObject({ code: 404 });
    expect((await slipway.call("GET", `${prefixes.test}/services`)).json).toMatchObject({ code: 400 });
  });
});

describe("stored text", () => {
  test.each([
    ["several documents with comments", `# first\n---\n${deployment("a")}---\n# nothing\n---\n${deployment("b")}...\n`],
    ["CRLF line ends", deployment("crlf").replaceAll("\n", "\r\n")],
    ["no line end", deployment("bare").trimEnd()],
    ["trailing white space", `${deployment("space")}   \n\n\n`],
    ["anchors", `${deployment("anchored")}---\nkind: ConfigMap\napiVersion: v1\nmetadata: &m { name: c }\ndata: {}\n`],
    ["placeholders", deployment("held", "{{.image}}:{{ .tag }}")],
    ["other scripts and symbols", `# Grüße, 世界 🚀 \u2028\n${deployment("unicode")}`],
    ["a byte order mark", `\ufeff${deployment("marked")}`],
  ])("with %s comes back byte for byte", async (title, yaml) => {
    const name = title.replaceAll(/[^a-z]/gi, "");
    const created = await create(name, { yaml });
    expect(created.json).toEqual({ message: "success" });
    expect(Buffer.from((await read(name)).json.yaml)).toEqual(Buffer.from(yaml));
  });
});

describe("variables", () => {
  test("are the caller's, in the caller's order, then those that the YAML asks for", async () => {
    const yaml = deployment("v", "{{.image}}:{{.tag}}").replace(
      "name: v\n",
      "name: v\n  labels: { a: '{{.cfg.zone}}' }\n",
    );
    await create("varied", { yaml, variable_yaml: [{ key: "tag", value: 7, type: "string", desc: "the tag" }] });
    expect((await read("varied")).json.service_variable_kvs).toEqual([
      { key: "tag", value: 7, type: "string", options: [], desc: "the tag" },
      expect.objectContaining({ key: "cfg", type: "yaml" }),
      expect.objectContaining({ key: "image", type: "string", value: "" }),
    ]);
  });

  test("are taken under the answer's spelling too, and variable_yaml wins", async () => {
    const one = [{ key: "a", value: "1", type: "string" }];
    await create("alias", { service_variable_kvs: one });
    expect((await read("alias")).json.service_variable_kvs).toMatchObject(one);
    await create("alias-both", { service_variable_kvs: one, variable_yaml: [{ key: "b", value: "", type: "string" }] });
    expect((await read("alias-both")).json.service_variable_kvs).toMatchObject([{ key: "b" }]);
  });

  test("keep the raw text of an image whose variables have no value yet", async () => {
    await create("unset", { yaml: deployment("web", "{{.registry}}/web:{{.tag}}") });
    expect((await read("unset")).json.containers).toMatchObject([
      { name: "web", image: "{{.registry}}/web:{{.tag}}", image_name: "web" },
    ]);
  });

  test("stay when the YAML is replaced, and new ones follow", async () => {
    await create("kept", {
      yaml: deployment("k", "nginx:{{.tag}}"),
      variable_yaml: [{ key: "tag", value: "1", type: "string" }],
    });
    await replace("kept", deployment("k", "{{.image}}"));
    expect((await read("kept")).json.service_variable_kvs).toMatchObject([
      { key: "tag", value: "1" },
      { key: "image" },
    ]);
  });

  test("are overwritten in place without a new revision; unknown keys are ignored", async () => {
    const tag = { key: "tag", value: "1", type: "string", options: [], desc: "old" };
    await create("defaults", { yaml: deployment("d", "nginx:{{.tag}}"), variable_yaml: [tag] });
    const answer = await setVariables("defaults", [
      { key: "tag", value: "2", type: "enum", options: ["1", "2"] },
      { key: "stranger", value: "x", type: "string" },
    ]);
    expect(answer.json).toEqual({ message: "success" });
    const { json } = await read("defaults");
    expect(json.service_variable_kvs).toEqual([
      { key: "tag", value: "2", type: "enum", options: ["1", "2"], desc: "" },
    ]);
    expect(json.containers).toMatchObject([{ image: "nginx:2" }]);
    expect(await revisionOf("defaults")).toBe(1);
    expect(await revisionsOf("defaults")).toHaveLength(1);
  });

  test("must fit their types, and a refused list changes nothing", async () => {
    await create("strict", {
      yaml: deployment("s", "nginx:{{.tag}}"),
      variable_yaml: [{ key: "tag", value: "1", type: "string" }],
    });
    const before = (await read("strict")).text;
    for (const wrong of [
      { key: "tag", value: "maybe", type: "bool" },
      { key: "tag", value: "c", type: "enum", options: ["a", "b"] },
      { key: "tag", value: "a: [", type: "yaml" },
      { key: "tag", value: { a: 1 }, type: "string" },
    ]) {
      expect((await setVariables("strict", [wrong])).json).toMatchObject({ code: 6045 });
      expect((await create("wrong", { variable_yaml: [wrong] })).json).toMatchObject({ code: 6045 });
    }
    expect((await read("strict")).text).toBe(before);
    expect((await read("wrong")).status).toBe(404);
  });

  test("may lack a nested key when the service is saved, never when defaults are changed", async () => {
    const yaml = deployment("web", "nginx:{{.cfg.tag}}");
    const cfg = (value: string) => [{ key: "cfg", value, type: "yaml" }];
    expect((await create("nested", { yaml, variable_yaml: cfg("other: 1") })).status).toBe(200);
    const refused = await setVariables("nested", cfg("another: 2"));
    expect(refused.json).toMatchObject({ code: 6045, description: expect.stringContaining("cfg.tag") });
    expect((await setVariables("nested", cfg("tag: 5"))).status).toBe(200);
    expect((await read("nested")).json.containers).toMatchObject([{ image: "nginx:5" }]);
  });

  test.each([
    ["a document", "x\n---\napiVersion: v1"],
    ["the end of a document", "x\n..."],
    ["a namespace", "x\n  namespace: kube-system"],
  ])("cannot bring %s", async (_, value) => {
    const yaml =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  labels:\n    a: b\n  annotations: {}\n{{.x}}\n";
    const answer = await create("smuggled", { yaml, variable_yaml: [{ key: "x", value, type: "string" }] });
    expect(answer.json).toMatchObject({ code: 6045 });
    expect((await read("smuggled")).status).toBe(404);
  });
});

describe("creating a service", () => {
  test.each([
    ["an empty name", ""],
    ["a number", 5],
    ["a name with white space", "a b"],
    ["a path", "../x"],
    ["Unicode", "dienst-ä"],
    ["__proto__", "__proto__"],
    ["a hyphen at the end", "a-"],
    ["an underscore at the beginning", "_a"],
    ["64 characters", "a".repeat(64)],
    ["the reserved name services", "services"],
    ["the reserved name production", "production"],
    ["the reserved name raw", "raw"],
  ])("refuses %s as its name, in both kinds", async (_, name) => {
    for (const kind of ["test", "production"] as const)
      expect((await create(name, {}, kind)).json).toMatchObject({ code: 400 });
  });

  test.each([
    ["no YAML", { yaml: undefined }, 400],
    ["empty YAML", { yaml: "" }, 400],
    ["a number as YAML", { yaml: 1 }, 400],
    ["variables that are no list", { variable_yaml: {} }, 400],
    ["a key given twice", { variable_yaml: [1, 2].map((value) => ({ key: "a", value, type: "string" })) }, 400],
    ["an unknown variable type", { variable_yaml: [{ key: "a", value: 1, type: "number" }] }, 400],
    ["no documents", { yaml: "# nothing\n---\n" }, 6045],
    ["tabs", { yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n" }, 6045],
    ["a kind without a name", { yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n" }, 6045],
    ["text that is no YAML", { yaml: "a: [b" }, 6045],
    ["a list", { yaml: "- a\n" }, 6045],
    ["a template that does not close", { yaml: "a: {{.b" }, 6045],
    ["an unknown template function", { yaml: `${deployment("a")}# {{ env "HOME" }}\n` }, 6045],
    ["an alias bomb", { yaml: bomb() }, 6045],
    ["10,000 documents", { yaml: "---\nkind: A\napiVersion: v1\nmetadata: {name: a}\n".repeat(10_000) }, 6045],
    ["3 MB", { yaml: `${deployment("a")}# ${"x".repeat(3_000_000)}\n` }, 6045],
    [
      "an endless loop",
      {
        yaml: `{{range $i := .l}}{{range $j := $.l}}{{range $.l}}x{{end}}{{end}}{{end}}`,
        variable_yaml: [{ key: "l", value: JSON.stringify(Array(500).fill(1)), type: "yaml" }],
      },
      6045,
    ],
  ])("refuses %s and keeps nothing", async (_, rest, code) => {
    const answer = await create("refused", rest);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ type: "error", code });
    expect((await read("refused")).status).toBe(404);
  });

  test("refuses a taken name, and of 50 identical creations at once one wins", async () => {
    await create("doubled");
    expect((await create("doubled", { yaml: deployment("other") })).json).toMatchObject({
      code: 6040,
      description: "service:doubled already exists",
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => create("raced")));
    const codes = answers.map((answer) => (answer.json as { code?: number }).code ?? answer.status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 6040)).toHaveLength(49);
    expect(await revisionsOf("raced")).toHaveLength(1);
  });

  test("needs a project that stands and takes YAML services", async () => {
    expect((await create("x", {}, "test", "missing")).json).toMatchObject({ code: 404 });
    expect((await create("x", {}, "test", "hosted")).json).toMatchObject({ code: 6040 });
    expect((await create("x", {}, "production", "charts")).json).toMatchObject({ code: 6040 });
  });

  test("a loop over documents counts as many objects as it makes", async () => {
    const yaml = "{{range .names}}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{.}}}\n{{end}}";
    expect(
      (await create("looped", { yaml, variable_yaml: [{ key: "names", value: "[a, b]", type: "yaml" }] })).status,
    ).toBe(200);
  });
});

function bomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(", ")}]`,
  );
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\na0: &a0 [x]\n${levels.join("\n")}\n`;
}

describe("revisions", () => {
  test("count per name, are kept, and go on after a deletion", async () => {
    await create("counted");
    await replace("counted", deployment("web", "nginx:2"));
    expect(await revisionOf("counted")).toBe(2);
    await slipway.call("DELETE", on("test", "counted"));
    await create("counted");
    expect(await revisionOf("counted")).toBe(3);
    expect((await revisionsOf("counted")).map((item) => item.revision)).toEqual([1, 2, 3]);
  });

  test("are not made by identical YAML", async () => {
    await create("same", { yaml: deployment("web", "nginx:{{.tag}}") });
    expect((await replace("same", deployment("web", "nginx:{{.tag}}"))).status).toBe(200);
    expect(await revisionOf("same")).toBe(1);
  });

  test("of 20 different edits at once each success has its own and the others are 409", async () => {
    await create("edited");
    const edits = Array.from({ length: 20 }, (_, at) => deployment("web", `nginx:edit-${at}`));
    const answers = await Promise.all(edits.map((yaml) => replace("edited", yaml)));
    const won = answers.filter((answer) => answer.status === 200).length;
    expect(won).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(20 - won);
    expect(answers.find((answer) => answer.status === 409)?.json ?? { code: 409 }).toMatchObject({ code: 409 });
    const revisions = await revisionsOf("edited");
    expect(revisions.map((item) => item.revision)).toEqual(Array.from({ length: won + 1 }, (_, at) => at + 1));
    expect(edits).toContain((await read("edited")).json.yaml);
  });

  test("edits and changed defaults at once lose nothing of each other", async () => {
    const yaml = deployment("web", "nginx:{{.tag}}");
    await create("mixed", { yaml, variable_yaml: [{ key: "tag", value: "0", type: "string" }] });
    const [edited, changed] = await Promise.all([
      replace("mixed", `# edited\n${yaml}`),
      setVariables("mixed", [{ key: "tag", value: "1", type: "string" }]),
    ]);
    const { json } = await read("mixed");
    expect(json.yaml.startsWith("# edited")).toBe(edited.status === 200);
    expect(json.service_variable_kvs[0]?.value).toBe(changed.status === 200 ? "1" : "0");
    expect([edited.status, changed.status].every((status) => status === 200 || status === 409)).toBe(true);
  });
});

describe("changing a service", () => {
  test("needs type k8s and YAML, and a service that exists", async () => {
    await create("changed");
    const put = (body: unknown) => slipway.call("PUT", on("test", "changed"), { body });
    for (const body of [{}, { yaml: "a" }, { type: "k8s", yaml: "" }, { type: "helm", yaml: deployment("a") }, []])
      expect((await put(body)).json).toMatchObject({ code: 400 });
    expect((await replace("changed", "a: [")).json).toMatchObject({ code: 6045 });
    expect((await replace("absent", deployment("a"))).json).toMatchObject({ code: 404 });
    expect((await setVariables("absent", [])).json).toMatchObject({ code: 404 });
    expect((await setVariables("changed", undefined)).json).toMatchObject({ code: 400 });
    expect(await revisionOf("changed")).toBe(1);
  });

  test.each(["%00", "a%2Fb", "..", "%E0%A4%A", "x".repeat(300), "__proto__", "a%23b"])(
    "under the name %s is refused as not there",
    async (name) => {
      for (const method of ["GET", "PUT"]) {
        const body = method === "PUT" ? { body: { type: "k8s", yaml: deployment("a") } } : {};
        const { status } = await slipway.call(method, `${prefixes.test}/${name}?projectKey=demo`, body);
        expect([400, 404, 405]).toContain(status);
      }
    },
  );
});

describe("labels", () => {
  test("are none for a service of either kind, and 404 for a missing one", async () => {
    await create("labelled", {}, "production");
    const labels = (query = "") => slipway.call("GET", `${on("test", "labelled/labels")}${query}`);
    expect((await labels()).json).toEqual([]);
    expect((await labels("&production=true")).json).toEqual([]);
    expect((await labels("&production=false")).json).toMatchObject({ code: 404 });
    expect((await labels("&production=maybe")).json).toMatchObject({ code: 400 });
    await slipway.call("DELETE", on("production", "labelled"));
    expect((await labels()).json).toMatchObject({ code: 404 });
  });
});

describe("permissions", () => {
  test("are the verbs of the kind; another project's services are out of reach", async () => {
    await create("guarded");
    await create("guarded", {}, "production");
    const reader = await newPerson("reader", [{ namespace: "demo", roles: { r: ["get_service"] } }]);
    const foreign = await newPerson("foreign", [{ namespace: "charts", roles: { "project-admin": [] } }]);
    const status = async (token: string, method: string, kind: Kind, path: string, body?: unknown) =>
      (await slipway.call(method, on(kind, path), { token, ...(body !== undefined && { body }) })).status;
    expect(await status(reader.token, "GET", "test", "guarded")).toBe(200);
    expect(await status(reader.token, "GET", "test", "services")).toBe(200);
    expect(await status(reader.token, "GET", "production", "guarded")).toBe(403);
    expect(await status(reader.token, "PUT", "test", "guarded", { type: "k8s", yaml: deployment("a") })).toBe(403);
    expect(await status(reader.token, "DELETE", "test", "guarded")).toBe(403);
    expect(await status(foreign.token, "GET", "test", "guarded")).toBe(403);
    expect(await status(foreign.token, "GET", "test", "never-made")).toBe(403);
  });

  test("everybody reads the services of a public project", async () => {
    const body = { project_key: "open", project_name: "Open", project_type: "yaml", is_public: true };
    await slipway.call("POST", "/openapi/projects/project", { body });
    await create("seen", {}, "test", "open");
    const { token } = await newPerson("passer-by");
    expect((await slipway.call("GET", on("test", "seen", "open"), { token })).status).toBe(200);
    expect((await slipway.call("DELETE", on("test", "seen", "open"), { token })).status).toBe(403);
  });
});

describe("the operation log", () => {
  test("names the service and keeps the body of what was added and changed", async () => {
    await create("logged", {}, "production");
    await replace("logged", deployment("web", "nginx:3"), "production");
    await setVariables("logged", [], "production");
    await slipway.call("DELETE", on("production", "logged"));
    const logs = await slipway.call<{ operation_logs: Record<string, unknown>[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=4&page=1",
    );
    expect(
      logs.json.operation_logs.map(({ method, function: of, detail, body_type }) => [method, of, detail, body_type]),
    ).toEqual([
      ["Delete", "Project Management - Production Service", "logged", ""],
      ["Update Production Service Variables", "Project Management - Service", "logged", ""],
      ["Update Production Service Config", "Project Management - Service", "logged", "json"],
      ["Add", "Project Management - Production Service", "logged", "json"],
    ]);
    expect(logs.json.operation_logs.every((entry) => entry.project_key === "demo")).toBe(true);
  });
});

describe("deleting a project", () => {
  test("takes no new service, and leaves nothing of the services there were", async () => {
    const body = { project_key: "doomed", project_name: "Doomed", project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body });
    await create("one", {}, "test", "doomed");
    await create("gone", {}, "production", "doomed");
    await slipway.call("DELETE", on("production", "gone", "doomed"));
    await expect(removeAllServices("doomed")).rejects.toThrow("condition");
    await table().write(...markProjectDeleting("doomed", { deleteObjects: false, by: "admin" }));
    expect((await create("two", {}, "test", "doomed")).json).toMatchObject({ code: 404 });
    expect(
      (await slipway.call("PUT", on("test", "one", "doomed"), { body: { type: "k8s", yaml: deployment("late") } }))
        .status,
    ).toBe(409);
    await removeAllServices("doomed");
    await removeAllServices("doomed");
    for (const kind of ["test", "production"] as const)
      for (const name of ["one", "gone"])
        expect(await table().query({ pk: keys.service("doomed", kind, name).pk })).toEqual([]);
    expect(await table().query({ index: "references", pk: references.services("doomed") })).toEqual([]);
  });
});

describe.each(["test", "production"] as const)("a list of %s services", (kind) => {
  const project = `paged-${kind}`;
  const list = async (query = "") => {
    const answer = await slipway.call<Named[] | { service: Named[] }>("GET", on(kind, "services", project) + query);
    expect(answer.status, answer.text).toBe(200);
    const shown = "service" in answer.json ? answer.json.service : answer.json;
    return [shown.map(({ service_name }) => service_name).join(), answer.headers.get("x-total")];
  };

  beforeAll(async () => {
    const body = { project_key: project, project_name: project, project_type: "yaml", is_public: false };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    for (const name of ["api", "cart", "cart-db", "web"])
      expect((await create(name, {}, kind, project)).status).toBe(200);
  });

  test("is whole where no page is named, and else a page of what a part of the names finds", async () => {
    expect(await list()).toEqual(["api,cart,cart-db,web", "4"]);
    expect(await list("&pageNum=2&pageSize=3")).toEqual(["web", "4"]);
    expect(await list("&pageSize=2")).toEqual(["api,cart", "4"]);
    expect(await list("&keyword=CART&pageNum=2&pageSize=1")).toEqual(["cart-db", "2"]);
    expect(await list("&keyword=cart")).toEqual(["cart,cart-db", "2"]);
    expect(await list("&pageNum=9")).toEqual(["", "4"]);
    expect(await list("&keyword=nothing")).toEqual(["", "0"]);
    const wrong = await slipway.call("GET", `${on(kind, "services", project)}&pageNum=two`);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("pageNum")]);
  });
});

describe("a text in which another tool's templates stand", () => {
  const rule = (text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rule}\ndata: {text: '${text}'}\n`;
  const warned = async (name: string, text: string) => {
    const { status, json } = await slipway.call<{ warnings?: { line: number; message: string }[] }>(
      "POST",
      on("test", "raw"),
      { body: { service_name: name, yaml: rule(text) } },
    );
    expect(status).toBe(200);
    return (json.warnings ?? []).map(({ line, message }) => `${line} ${message}`).join("\n");
  };

  test.each([
    ["of an alert", "{{ .Value }} is high"],
    ["of its labels", "on {{ .Labels.instance }}"],
    ["with trimmed blanks", "a {{- .CommonLabels.job }} b"],
  ])("is warned of: %s", async (what, text) => {
    const action = /\{\{.*?\}\}/.exec(text)?.[0] ?? "";
    const warnings = await warned(`foreign-${what.replaceAll(" ", "-")}`, text);
    expect(warnings).toContain(`4 ${action} reads the variable`);
    expect(warnings).toContain(`{{"{{"}}${action.slice(2, -2)}{{"}}"}}`);
  });

  test.each([
    ["a variable of people", "{{ .value }}"],
    ["what is kept as text", '{{"{{"}} .Value {{"}}"}}'],
  ])("is no warning: %s", async (what, text) => {
    expect(await warned(`own-${what.replaceAll(" ", "-")}`, text)).not.toContain("reads the variable");
  });

  test("says how a word that is no function is kept as text", async () => {
    const { status, text } = await create("no-function", { yaml: rule("use {{args}} here") });
    expect(status).toBe(400);
    expect(text).toContain("function args is not defined");
    expect(JSON.parse(text).description).toContain('{{"{{"}}args{{"}}"}}');
  });
});
