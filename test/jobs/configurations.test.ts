import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startApolloServer, startNacosServer } from "../harness/configurationServers.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const login = { username: "robot", password: "pw-of-nacos-4711" };
const token = "token-of-apollo-4711";
const credential = "credential-of-the-start";
const place = "DEV/shop/default/application";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let nacos: Awaited<ReturnType<typeof startNacosServer>>;
let apollo: Awaited<ReturnType<typeof startApolloServer>>;
let ids: Record<"nacos" | "wrongNacos" | "apollo" | "wrongApollo", string>;

const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const logOf = async (workflow: string, taskId: number, name: string) =>
  (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${name}`)).text;
const nacosJob = (contents: Record<string, string>, nacos_id = ids.nacos) => ({
  ...{ name: "config", type: "nacos" },
  spec: {
    ...{ nacos_id, namespace_id: "dev", source: "fixed" },
    nacos_datas: Object.entries(contents).map(([data_id, content]) => ({
      data_id,
      group: "DEFAULT",
      format: "yaml",
      content,
    })),
  },
});
const namespaceOf = (namespace: string, values: Record<string, unknown>) => ({
  ...{ appID: "shop", clusterID: "default", env: "DEV", namespace, type: "properties", original_config: [] },
  kv: Object.entries(values).map(([key, val]) => ({ key, val })),
});
const apolloJob = (namespaceList: object[], apolloID = ids.apollo) => ({
  ...{ name: "config", type: "apollo", spec: { apolloID, namespaceList } },
});

async function started(workflow: string, job: object, more: object = {}): Promise<number> {
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "one", jobs: [job] }], ...more });
  return tasks.started(workflow, ["config"], more === undefined ? {} : startOf(more));
}
const startOf = (more: object) =>
  "params" in more ? { parameters: [{ name: "token", type: "string", value: credential }] } : {};

beforeAll(async () => {
  [nacos, apollo] = await Promise.all([startNacosServer(login), startApolloServer(token)]);
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  const add = async (type: string, name: string, server_address: string, auth_config: object) => {
    const body = { type, system_identity: name, server_address, auth_config };
    const { json, text } = await slipway.call<{ id: string }>("POST", "/api/aslan/system/configuration", { body });
    expect(text).toContain("success");
    return json.id;
  };
  ids = {
    nacos: await add("nacos", "nacos", nacos.url, { user_name: login.username, password: login.password }),
    wrongNacos: await add("nacos", "wrong", `${nacos.url}/nacos/`, { user_name: login.username, password: "x" }),
    apollo: await add("apollo", "apollo", apollo.url, { token }),
    wrongApollo: await add("apollo", "wrong apollo", apollo.url, { token: "x" }),
  };
});

afterAll(async () => {
  await slipway?.close();
  await Promise.all([nacos?.close(), apollo?.close()]);
});

test("configurations of Nacos are published after their difference, without what is secret", async () => {
  nacos.configs.set("dev/DEFAULT/shop.yaml", "replicas: 1\ndb:\n  password: old-secret\n  host: a\n");
  nacos.configs.set("dev/DEFAULT/same.yaml", "as: it is\n");
  const params = [{ name: "token", type: "string", value: "", is_credential: true }];
  const job = nacosJob({
    "shop.yaml": "replicas: 2\ndb:\n  password: new-secret\n  host: a\n",
    "same.yaml": "as: it is\n",
    "new.yaml": "key: {{.workflow.params.token}}\n",
  });
  const id = await started("publish", job, { params });
  const [config] = jobsOf(await tasks.end("publish", id, 60));
  expect(config).toMatchObject({ status: "passed", error: "" });
  expect(config?.spec).toMatchObject({
    ...{ nacos_id: ids.nacos, namespace_id: "dev" },
    nacos_datas: [{ data_id: "shop.yaml", error: "" }, { data_id: "same.yaml" }, { data_id: "new.yaml" }],
  });
  expect(nacos.configs.get("dev/DEFAULT/shop.yaml")).toContain("new-secret");
  expect(nacos.configs.get("dev/DEFAULT/new.yaml")).toBe(`key: ${credential}\n`);
  expect(nacos.types.get("dev/DEFAULT/new.yaml")).toBe("yaml");
  expect(nacos.changes).toEqual(["POST dev/DEFAULT/shop.yaml", "POST dev/DEFAULT/new.yaml"]);
  const log = await logOf("publish", id, "config");
  expect(log).toContain("-replicas: 1\n+replicas: 2\n db:\n   password: ******\n   host: a\n");
  expect(log).toContain("DEFAULT/same.yaml is as it should be\n");
  expect(log).toContain("+key: ******\n");
  expect(`${log}${JSON.stringify(config)}`).not.toMatch(new RegExp(`old-secret|${credential}|${login.password}`));
});

test("a configuration that Nacos does not take takes back those before it", async () => {
  nacos.configs.set("dev/DEFAULT/a", "1");
  nacos.configs.delete("dev/DEFAULT/b");
  nacos.faults.status = { key: "c", status: 500 };
  const id = await started("halfway", nacosJob({ a: "2", b: "2", c: "2" }));
  const [config] = jobsOf(await tasks.end("halfway", id, 60));
  expect(config).toMatchObject({
    status: "failed",
    error: "DEFAULT/c was not changed: Nacos answers with status 500; everything is as it was before",
    spec: { nacos_datas: [{ error: "" }, { error: "" }, { error: "Nacos answers with status 500" }] },
  });
  expect([nacos.configs.get("dev/DEFAULT/a"), nacos.configs.has("dev/DEFAULT/b")]).toEqual(["1", false]);
  nacos.faults.status = undefined;
  expect((await tasks.retry("halfway", id)).status).toBe(200);
  await tasks.until("halfway", id, "running again", ({ status }) => status !== "failed");
  expect((await tasks.end("halfway", id, 60)).status).toBe("passed");
  expect(["a", "b", "c"].map((key) => nacos.configs.get(`dev/DEFAULT/${key}`))).toEqual(["2", "2", "2"]);
});

test("a cancel takes back what was published", async () => {
  nacos.configs.set("dev/DEFAULT/x", "1");
  nacos.configs.set("dev/DEFAULT/y", "1");
  nacos.faults.slow = { key: "x", milliseconds: 3000 };
  const id = await started("cancelled", nacosJob({ x: "2", y: "2" }));
  await waitFor(
    "the difference",
    async () => (await tasks.read("cancelled", id)).stages[0]?.jobs[0]?.status === "running",
    30,
  );
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await tasks.cancel("cancelled", id);
  const task = await tasks.end("cancelled", id, 60);
  nacos.faults.slow = undefined;
  expect([task.status, jobsOf(task)[0]?.status]).toEqual(["cancelled", "cancelled"]);
  expect(["x", "y"].map((key) => nacos.configs.get(`dev/DEFAULT/${key}`))).toEqual(["1", "1"]);
});

test("keys of Apollo are set and released after their difference", async () => {
  apollo.items.set(
    place,
    new Map([
      ["timeout", "10"],
      ["same", "1"],
      ["db.password", "old-secret"],
    ]),
  );
  apollo.items.set("DEV/shop/default/feature.yaml", new Map([["content", "on: false\n"]]));
  const list = [
    namespaceOf("application", { timeout: 20, same: "1", "a/b c": "new", "db.password": "new-secret" }),
    namespaceOf("feature.yaml", { content: "on: true\n" }),
  ];
  const id = await started("release", apolloJob(list));
  const [config] = jobsOf(await tasks.end("release", id, 60));
  expect(config).toMatchObject({ status: "passed", error: "" });
  const released = { timeout: "20", same: "1", "db.password": "new-secret", "a/b c": "new" };
  expect(apollo.releases.get(place)).toEqual([released]);
  expect(apollo.releases.get("DEV/shop/default/feature.yaml")).toEqual([{ content: "on: true\n" }]);
  const log = await logOf("release", id, "config");
  for (const part of ["-10\n", "+20\n", "db.password: a value that is not shown changes\n", "-on: false\n+on: true\n"])
    expect(log).toContain(part);
  expect(log).not.toMatch(new RegExp(`old-secret|new-secret|${token}`));
});

test("a namespace that Apollo does not release takes back those before it", async () => {
  apollo.items.set(place, new Map([["timeout", "10"]]));
  apollo.items.set("DEV/shop/default/other", new Map());
  apollo.releases.clear();
  apollo.faults.status = { key: "DEV/shop/default/other", status: 403 };
  const list = [namespaceOf("application", { timeout: "20", fresh: "1" }), namespaceOf("other", { a: "1" })];
  const id = await started("unreleased", apolloJob(list));
  const [config] = jobsOf(await tasks.end("unreleased", id, 60));
  const why = "Apollo does not allow the user of the integration to release shop/DEV/default/other";
  expect(config).toMatchObject({
    status: "failed",
    error: `shop/DEV/default/other was not changed: ${why}; shop/DEV/default/other could not be taken back`,
    spec: { namespaceList: [{ error: "" }, { error: why }] },
  });
  expect(apollo.releases.get(place)).toEqual([{ timeout: "20", fresh: "1" }, { timeout: "10" }]);
  expect([...(apollo.items.get("DEV/shop/default/other") ?? [])]).toEqual([]);
  apollo.faults.status = undefined;
});

test("what a server does not know or let in changes nothing", async () => {
  const cases: readonly [string, object, string][] = [
    ["nacos-login", nacosJob({ a: "9" }, ids.wrongNacos), "Nacos does not accept the credentials of the integration"],
    [
      "apollo-login",
      apolloJob([namespaceOf("application", { a: "9" })], ids.wrongApollo),
      "Apollo does not accept the credentials of the integration",
    ],
    [
      "apollo-unknown",
      apolloJob([namespaceOf("missing", { a: "9" })]),
      "Apollo does not know namespace shop/DEV/default/missing",
    ],
  ];
  for (const [name, job, error] of cases) {
    const id = await started(name, job);
    expect(jobsOf(await tasks.end(name, id, 60))[0]).toMatchObject({ status: "failed", error });
  }
});

test.each([
  ["kind", () => nacosJob({ a: "1" }, ids.apollo), "the configuration server apollo is of type apollo"],
  ["none", () => nacosJob({}), "names no configuration: set nacos_datas"],
  ["keys", () => apolloJob([namespaceOf("application", {})]), "sets no key: set kv in namespaceList"],
])("a start is refused that cannot work: %s", async (name, job, words) => {
  await makeWorkflow("shop", { name: `not-${name}`, stages: [{ name: "one", jobs: [job()] }] });
  const { status, text } = await tasks.start(`not-${name}`, ["config"]);
  expect([status, text]).toEqual([400, expect.stringContaining(words)]);
});
