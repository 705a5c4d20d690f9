import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unseal } from "../../../../shared/base/aws/secrets/sealedSecret.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { type RecordCalls, recordCalls, storedTexts, use } from "./recordCalls.ts";

interface Shown {
  id: string;
  [field: string]: unknown;
}

interface Sort {
  kind: string;
  noun: string;
  path: string;
  /** What is sent; `nameField` is unique. */
  sample: Record<string, unknown>;
  nameField: string;
  /** Fields of the sample that may be left out. */
  optional?: readonly string[];
  /** The field whose secret is sealed. */
  secret?: string;
  /** What is shown of the sample beside the id. */
  shown: Record<string, unknown>;
  /** Each is refused naming the field. */
  wrong: readonly [field: string, value: unknown][];
  /** Each is taken and shown as it was sent. */
  right: readonly [field: string, value: unknown][];
}

const wrongNames = ["", 7, "a/b", " a", "a".repeat(65), ".."];
const wrongAddresses = [
  "http://169.254.169.254/latest",
  "",
  7,
  "host",
  "ftp://h.example.com",
  "https://u:p@h.example.com",
  "https://h.example.com?a=1",
];
const named = (field: string) => wrongNames.map((name): [string, unknown] => [field, name]);
const addressed = (field: string) => wrongAddresses.map((text): [string, unknown] => [field, text]);

const sorts: readonly Sort[] = [
  {
    kind: "base-image",
    noun: "base image",
    path: "/api/aslan/system/basicImages",
    sample: { label: "node 24", value: "node:24" },
    nameField: "label",
    shown: { label: "node 24", value: "node:24", image_from: "custom" },
    wrong: [
      ...named("label"),
      ["label", "ubuntu 20.04"],
      ["label", "ubuntu 18.04"],
      ["value", ""],
      ["value", "two words"],
      ["value", "-x"],
      ["value", 7],
      ["value", "x".repeat(1025)],
      ["image_from", "koderover"],
    ],
    right: [
      ["label", "größe: 大"],
      ["value", `registry.example.com:5000/team/node@sha256:${"a".repeat(64)}`],
    ],
  },
  {
    kind: "sonar",
    noun: "SonarQube server",
    path: "/api/aslan/system/sonar/integration",
    sample: { system_identity: "sonar", server_address: "https://sonar.example.com", token: "squ_4711" },
    nameField: "system_identity",
    secret: "token",
    shown: { system_identity: "sonar", server_address: "https://sonar.example.com" },
    wrong: [
      ...named("system_identity"),
      ...addressed("server_address"),
      ["token", ""],
      ["token", "a\nb"],
      ["token", 7],
    ],
    right: [["server_address", "http://10.0.0.9:9000/sonar/"]],
  },
  {
    kind: "metric-server",
    noun: "metric server",
    path: "/api/aslan/system/observability",
    sample: { name: "metrics", type: "prometheus", address: "https://metrics.example.com", token: "mt-4711" },
    nameField: "name",
    optional: ["token"],
    secret: "token",
    shown: { name: "metrics", type: "prometheus", address: "https://metrics.example.com" },
    wrong: [
      ...named("name"),
      ...addressed("address"),
      ["type", "grafana"],
      ["type", 7],
      ["token", "a\nb"],
      ["token", 7],
    ],
    right: [
      ["address", "http://10.0.0.9:9090/prometheus/"],
      ["type", "web"],
    ],
  },
  {
    kind: "jenkins",
    noun: "Jenkins server",
    path: "/api/aslan/system/cicdTools",
    sample: { type: "jenkins", name: "ci", url: "https://ci.example.com", username: "robot", password: "pw-4711" },
    nameField: "name",
    secret: "password",
    shown: {
      ...{ type: "jenkins", name: "ci", url: "https://ci.example.com", username: "robot" },
      projects: ["<all_projects>"],
    },
    wrong: [
      ...named("name"),
      ...addressed("url"),
      ["type", "blueking"],
      ["username", ""],
      ["username", "a\nb"],
      ["password", ""],
      ["password", 7],
      ["projects", []],
      ["projects", "shop"],
    ],
    right: [["url", "http://10.0.0.9:8080/jenkins/"]],
  },
  {
    kind: "database",
    noun: "database",
    path: "/api/aslan/system/dbinstance",
    sample: {
      ...{ name: "orders", type: "postgresql", projects: ["shop"], host: "db.example.com", port: "5432" },
      ...{ username: "robot", password: "pw-4711", database: "orders" },
    },
    nameField: "name",
    optional: ["database"],
    secret: "password",
    shown: {
      ...{ name: "orders", type: "postgresql", projects: ["shop"], host: "db.example.com", port: "5432" },
      ...{ username: "robot", database: "orders" },
    },
    wrong: [
      ...named("name"),
      ["type", "oracle"],
      ["type", 7],
      ["projects", []],
      ["host", ""],
      ["host", "https://db.example.com"],
      ["host", "169.254.169.254"],
      ["port", "0"],
      ["port", 65_536],
      ["port", "x"],
      ["username", ""],
      ["password", ""],
      ["password", "a\nb"],
      ["database", ""],
      ["ca", "no certificate"],
    ],
    right: [
      ["type", "mariadb"],
      ["host", "10.0.0.9"],
      ["projects", ["<all_projects>"]],
    ],
  },
  {
    kind: "issue-tracker",
    noun: "issue tracker",
    path: "/api/aslan/system/project_management",
    sample: {
      ...{ type: "jira", system_identity: "jira", jira_host: "https://jira.example.com" },
      ...{ jira_user: "robot", jira_token: "jt-4711" },
    },
    nameField: "system_identity",
    secret: "jira_token",
    shown: {
      ...{ type: "jira", system_identity: "jira", jira_host: "https://jira.example.com" },
      ...{ jira_auth_type: "password_or_token", jira_user: "robot", projects: ["<all_projects>"] },
    },
    wrong: [
      ...named("system_identity"),
      ...addressed("jira_host"),
      ["type", "meego"],
      ["jira_auth_type", "oauth"],
      ["jira_user", ""],
      ["jira_token", ""],
      ["jira_token", "a\nb"],
      ["projects", []],
    ],
    right: [["projects", ["shop", "bank"]]],
  },
  {
    kind: "chart-repository",
    noun: "chart repository",
    path: "/api/aslan/system/helm",
    sample: {
      ...{ repo_name: "charts", url: "https://charts.example.com/stable", type: "http" },
      ...{ username: "robot", password: "pw-4711" },
    },
    nameField: "repo_name",
    optional: ["username", "password"],
    secret: "password",
    shown: { repo_name: "charts", url: "https://charts.example.com/stable", type: "http", username: "robot" },
    wrong: [
      ...named("repo_name"),
      ...addressed("url"),
      ["url", "oci://charts.example.com/stable"],
      ["type", "git"],
      ["type", 7],
      ["username", "a\nb"],
      ["username", ""],
      ["password", "a\nb"],
      ["password", 7],
    ],
    right: [
      ["url", "http://10.0.0.9:8080/charts/"],
      ["type", "oci"],
      ["type", "ecr"],
    ],
  },
  {
    kind: "dockerfile-template",
    noun: "Dockerfile template",
    path: "/api/aslan/template/dockerfile",
    sample: { name: "node", content: "# base\nARG V=24\nFROM node:$V\n" },
    nameField: "name",
    shown: { name: "node", content: "# base\nARG V=24\nFROM node:$V\n" },
    wrong: [
      ...named("name"),
      ["content", ""],
      ["content", 7],
      ["content", "# nothing but a comment\nARG A=1\n"],
      ["content", "RUN make\nFROM node\n"],
      ["content", "FROM\n"],
      ["content", `FROM node\n${"# \n".repeat(30_000)}`],
    ],
    right: [["content", "# syntax=docker/dockerfile:1\r\nfrom --platform=$BUILDPLATFORM a AS b\r\nFROM b\r\n"]],
  },
  {
    kind: "im-app",
    noun: "chat app",
    path: "/api/aslan/system/im-apps",
    sample: { type: "feishu", app_id: "cli_1", app_secret: "SECRET-4711" },
    nameField: "app_id",
    secret: "app_secret",
    shown: { type: "feishu", app_id: "cli_1", address: "" },
    wrong: [
      ["type", "irc"],
      ["type", 7],
      ["app_id", ""],
      ["app_id", "a b"],
      ["app_id", "a".repeat(129)],
      ["app_secret", ""],
      ["app_secret", 7],
      ...addressed("address").filter(([, value]) => value !== ""),
    ],
    right: [["address", "https://open.larksuite.com"]],
  },
];

let installation: Slipway;

beforeAll(async () => {
  installation = await startSlipway();
});

afterAll(() => installation.close());

describe.each(sorts)("records of $path", (sort) => {
  const { kind, noun, path, sample, nameField, optional = [], secret, shown, wrong, right } = sort;
  let slipway: Slipway & RecordCalls<Shown>;

  beforeAll(() => {
    slipway = { ...installation, ...recordCalls<Shown>(installation, path, sample) };
  });

  /** Of a list that has pages, the first. */
  const list = async (): Promise<Shown[]> => {
    const { json } = await slipway.call<Shown[] | { dockerfile_template: Shown[] }>("GET", path);
    const all = Array.isArray(json) ? json : json.dockerfile_template;
    // Base images that always are there stand before those that were added.
    return all.filter((one) => !("image_from" in one) || one.image_from === "custom");
  };
  const secretOf = async (id: string) => {
    const key = keys.integrationSecret(kind, id, secret ?? "");
    const item = await table().get<{ secret: Parameters<typeof unseal>[0] }>(key);
    return item && unseal(item.secret, { record: `${kind}:${id}`, field: secret ?? "" });
  };

  test("are added, listed in order, read, replaced and deleted", async () => {
    const first = await slipway.add();
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), ...shown });
    const second = await slipway.add({ [nameField]: "aaa" });
    expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id]);
    const at = `${path}/${first.id}`;
    const body = { ...sample, [nameField]: "a0" };
    expect((await slipway.ask("PUT", at, body)).json).toEqual({ message: "success" });
    expect((await slipway.ask("GET", at)).json).toEqual({ ...first, [nameField]: "a0" });
    expect((await list()).map(({ id }) => id)).toEqual([first.id, second.id]);
    for (const { id } of [first, second])
      for (let times = 0; times < 2; times++)
        expect((await slipway.ask("DELETE", `${path}/${id}`)).json).toEqual({ message: "success" });
    expect(await list()).toEqual([]);
    for (const method of ["GET", "PUT"])
      expect((await slipway.ask(method, at, method === "PUT" ? body : undefined)).json).toMatchObject({ code: 404 });
  });

  test("have names of their own, also when 20 of one name are added at once", async () => {
    const body = { ...sample, [nameField]: "raced" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => slipway.ask("POST", path, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    const { id } = await slipway.add({ [nameField]: "renamed" });
    expect(await slipway.problemsOf(body, "PUT", `${path}/${id}`)).toEqual([nameField]);
    expect((await slipway.ask("PUT", `${path}/${id}`, { ...sample, [nameField]: "renamed" })).status).toBe(200);
  });

  test("without their fields are refused, all named at once", async () => {
    expect(await slipway.problemsOf({})).toEqual(
      Object.keys(sample)
        .filter((field) => !optional.includes(field))
        .sort(),
    );
  });

  const told = (value: unknown) => JSON.stringify(value).slice(0, 60);
  const refused = wrong.map(([field, value]) => ({ field, value, told: told(value) }));
  test.each(refused)("with $field $told are refused", async ({ field, value }) => {
    const before = await list();
    expect(await slipway.problemsOf({ ...sample, [nameField]: "refused", [field]: value })).toEqual([field]);
    expect(await list()).toEqual(before);
  });

  test.each(right)("with %s %j are taken as sent", async (field, value) => {
    const { id, ...found } = await slipway.add({ [nameField]: "right", [field]: value });
    expect(found[field]).toEqual(value);
    await slipway.ask("DELETE", `${path}/${id}`);
  });

  test("that are used are not deleted", async () => {
    const { id } = await slipway.add({ [nameField]: "used" });
    await use({ key: keys.integration(kind, id) }, { kind: "code scan", projectKey: "shop", name: "web" });
    const refused = await slipway.ask("DELETE", `${path}/${id}`);
    expect(refused.json).toMatchObject({
      code: 400,
      description: expect.stringContaining(`the ${noun} is used by code scan web of project shop`),
    });
    expect((await slipway.ask("GET", `${path}/${id}`)).status).toBe(200);
  });

  test.runIf(secret !== undefined)("keep their secret sealed and when none is sent", async () => {
    const { id } = await slipway.add({ [nameField]: "sealed" });
    const field = secret ?? "";
    const { [field]: text, ...rest } = { ...sample, [nameField]: "sealed-still" };
    expect((await slipway.ask("PUT", `${path}/${id}`, rest)).status).toBe(200);
    expect(await secretOf(id)).toBe(text);
    const logs = await slipway.ask("GET", "/openapi/system/operation?searchType=all&perPage=50&page=1");
    expect(`${await storedTexts(kind, id)}${logs.text}`).not.toContain(text);
    await slipway.ask("PUT", `${path}/${id}`, { ...rest, [field]: "another" });
    expect(await secretOf(id)).toBe("another");
    await slipway.ask("DELETE", `${path}/${id}`);
    expect(await secretOf(id)).toBeUndefined();
  });
});

test("Dockerfile templates are listed page by page", async () => {
  const path = "/api/aslan/template/dockerfile";
  const records = recordCalls<Shown>(installation, path, { content: "FROM scratch\n" });
  const page = async (query: string) => {
    const { json } = await installation.call<{ dockerfile_template: Shown[]; total: number }>(
      "GET",
      `${path}?${query}`,
    );
    return { names: json.dockerfile_template.map(({ name }) => name), total: json.total };
  };
  for (const name of ["Zc", "Za", "Zb"]) await records.add({ name });
  const { names, total } = await page("");
  expect(names.slice(0, 3)).toEqual(["Za", "Zb", "Zc"]);
  expect(total).toBe(names.length);
  expect(await page("page_num=2&page_size=2")).toEqual({ names: names.slice(2, 4), total });
  expect(await page("pageNum=3&pageSize=1")).toEqual({ names: ["Zc"], total });
  expect(await page("pageNum=99")).toEqual({ names: [], total });
  expect((await records.ask("GET", `${path}?pageNum=x`)).status).toBe(400);
});

test("what authenticates at a configuration server is sealed, and goes with the type that has it", async () => {
  const path = "/api/aslan/system/configuration";
  const sample = { type: "nacos", system_identity: "config", server_address: "https://config.example.com" };
  const servers = recordCalls<Shown>(installation, path, {
    ...sample,
    auth_config: { user_name: "ci", password: "pw-4712" },
  });
  const { id, ...shown } = await servers.add();
  const rest = { projects: ["<all_projects>"], server_address: sample.server_address, system_identity: "config" };
  expect(shown).toEqual({ ...rest, type: "nacos", auth_config: { user_name: "ci", user: "" } });
  const stored = async (field: string) => {
    const item = await table().get<{ secret: Parameters<typeof unseal>[0] }>(
      keys.integrationSecret("configuration", id, field),
    );
    return item && unseal(item.secret, { record: `configuration:${id}`, field });
  };
  expect(await stored("password")).toBe("pw-4712");
  expect(await storedTexts("configuration", id)).not.toContain("pw-4712");
  const put = (body: object) => servers.ask("PUT", `${path}/${id}`, { ...sample, ...body });
  expect((await put({ auth_config: { user_name: "ci" } })).status).toBe(200);
  expect(await stored("password")).toBe("pw-4712");
  expect(await servers.problemsOf({ ...sample, type: "apollo" }, "PUT", `${path}/${id}`)).toEqual([
    "auth_config.token",
  ]);
  expect((await put({ type: "apollo", auth_config: { token: "tk-4712", user: "robot" } })).status).toBe(200);
  expect([await stored("password"), await stored("token")]).toEqual([undefined, "tk-4712"]);
  expect((await put({})).status).toBe(200);
  expect(await stored("token")).toBeUndefined();
  for (const [body, field] of [
    [{ type: "apollo" }, "auth_config.token"],
    [{ auth_config: { user_name: "ci" } }, "auth_config.password"],
    [{ type: "consul" }, "type"],
    [{ auth_config: { password: "a\nb" } }, "auth_config.password"],
  ] as const)
    expect(await servers.problemsOf({ ...sample, system_identity: "refused", ...body })).toEqual([field]);
});

test("the id of a chat app is unique for its service", async () => {
  const path = "/api/aslan/system/im-apps";
  const app = { type: "feishu", app_id: "same", app_secret: "s" };
  const answers = [app, { ...app, type: "wechat" }, app].map((body) => installation.call("POST", path, { body }));
  expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 400]);
});

test("what approvals through a chat app take is kept sealed, and goes with the type that has it", async () => {
  const path = "/api/aslan/system/im-apps";
  const key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
  const secrets = { encrypt_key: key, verification_token: "verify-4711", template_id: "PROC-4711" };
  const sample = { type: "dingtalk", app_id: "ding4711", app_secret: "s-4711", ...secrets };
  const apps = recordCalls<Shown>(installation, path, sample);
  const stored = async (id: string, field: string) => {
    const item = await table().get<{ secret: Parameters<typeof unseal>[0] }>(
      keys.integrationSecret("im-app", id, field),
    );
    return item && unseal(item.secret, { record: `im-app:${id}`, field });
  };
  const storedSecrets = async (id: string) =>
    Object.fromEntries(
      await Promise.all(Object.keys(secrets).map(async (field) => [field, await stored(id, field)] as const)),
    );
  const { id, ...shown } = await apps.add();
  expect(shown).toEqual({ type: "dingtalk", app_id: "ding4711", address: "" });
  expect(await storedSecrets(id)).toEqual(secrets);
  const texts = await storedTexts("im-app", id);
  for (const text of Object.values(secrets)) expect(texts).not.toContain(text);
  const bare = { type: "workwx", app_id: "ww4711" };
  expect((await apps.ask("PUT", `${path}/${id}`, { ...bare, template_id: "3Tka" })).status).toBe(200);
  expect(await storedSecrets(id)).toEqual({ ...secrets, template_id: "3Tka" });
  expect((await apps.ask("PUT", `${path}/${id}`, { ...bare, type: "wechat" })).status).toBe(200);
  expect(await apps.problemsOf(bare, "PUT", `${path}/${id}`)).toEqual(["template_id"]);
  expect(Object.values(await storedSecrets(id)).filter((text) => text !== undefined)).toEqual([]);
  expect(await stored(id, "app_secret")).toBe("s-4711");
});

test.each([
  ["wechat", { encrypt_key: "k", verification_token: "v", template_id: "t" }, undefined],
  ["dingding", { verification_token: "v" }, ["verification_token"]],
  ["dingtalk", {}, ["template_id"]],
  ["workwx", { template_id: "t", encrypt_key: "a".repeat(42) }, ["encrypt_key"]],
  ["dingtalk", { template_id: "t", encrypt_key: "-".repeat(43) }, ["encrypt_key"]],
  ["feishu", { encrypt_key: 7, verification_token: "a\nb" }, ["encrypt_key", "verification_token"]],
])("a chat app of type %s with %j is refused naming the field", async (type, more, fields) => {
  const apps = recordCalls<Shown>(installation, "/api/aslan/system/im-apps", {
    type,
    app_id: "refused",
    app_secret: "s",
  });
  const body = { type, app_id: "refused", app_secret: "s", ...more };
  expect(await apps.problemsOf(body)).toEqual(fields ?? Object.keys(more).sort());
});
