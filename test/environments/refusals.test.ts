import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { newPerson } from "../harness/people.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";

interface Refusal {
  code: number;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

const environments = "/openapi/environments";
const unknownId = "ffffffffffffffffffffffff";
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "more" } };
const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "more" } };

let slipway: Slipway;
let cluster: ClusterClient;
let closedClusterId: string;

beforeAll(async () => {
  slipway = await startSlipway({
    podDelayMilliseconds: 0,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  });
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  cluster = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  for (const key of ["shop", "other"]) {
    const project = { project_name: key, project_key: key, is_public: false, project_type: "yaml" };
    await done(slipway.call("POST", "/openapi/projects/project", { body: project }));
  }
  await newService("web", deploymentYaml("web", "web:1"));
  await newService("space", JSON.stringify(space));
  await newService("room", JSON.stringify({ ...space, metadata: { name: "room" } }));
  await newService("greeter", greeter("{{.greeting}}"), [{ key: "greeting", value: "hello", type: "string" }]);
  await newService("nested", greeter("{{.site.title}}"), [{ key: "site", value: "title: shop", type: "yaml" }]);
  const registered = { name: "elsewhere", type: "kubeconfig", kube_config: kubeconfig, project_names: ["other"] };
  await done(slipway.call("POST", "/openapi/system/cluster", { body: { ...registered, provider: 0 } }));
  await indexesShowAll();
  const clusters = await slipway.call<{ cluster_id: string; name: string }[]>("GET", "/openapi/system/cluster");
  closedClusterId = clusters.json.find(({ name }) => name === "elsewhere")?.cluster_id ?? "";
  expect((await create({ ...environmentBody("taken", "shop-taken"), services: [] })).status).toBe(200);
  const live = { ...environmentBody("live", "shop-live"), services: undefined };
  await done(slipway.call("POST", `${environments}/production?projectKey=shop`, { body: live }));
  await untilStatus(slipway, "shop", "taken", "succeeded");
});

afterAll(async () => {
  cluster.close();
  await slipway.close();
});

async function done(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
}

function greeter(value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: greeter\ndata:\n  greeting: ${value}\n`;
}

function newService(service_name: string, yaml: string, variable_yaml: object[] = []): Promise<void> {
  const body = { service_name, yaml, variable_yaml };
  return done(slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body }));
}

function create(body: object): Promise<Answer<Refusal>> {
  return slipway.call("POST", `${environments}?projectKey=shop`, { body });
}

function withService(service_name: string, variable_kvs: object[] = []): object {
  return { services: [{ service_name, type: "k8s", variable_kvs }] };
}

/** Sends a creation that cannot be, and sees to it that nothing of it is left. */
async function refused(change: object): Promise<Answer<Refusal>> {
  await indexesShowAll();
  const before = await slipway.call("GET", `${environments}?projectKey=shop`);
  const namespaces = async () =>
    (await cluster.list({ apiVersion: "v1", kind: "Namespace" })).items.map(({ metadata }) => metadata.name).sort();
  const stood = await namespaces();
  const answer = await create({ ...environmentBody("fresh", "shop-fresh"), services: [], ...change });
  await indexesShowAll();
  expect((await slipway.call("GET", `${environments}?projectKey=shop`)).json).toEqual(before.json);
  expect(await namespaces()).toEqual(stood);
  return answer;
}

describe("a creation is refused", () => {
  test.each<[string, () => object, number, RegExp]>([
    ["an unknown cluster", () => ({ cluster_id: unknownId }), 6074, /cluster f{24} does not exist/],
    ["an unknown registry", () => ({ registry_id: unknownId }), 6074, /registry f{24} does not exist/],
    ["an unknown service", () => withService("ghost"), 6074, /test service ghost not found in project shop/],
    [
      "a cluster that is not open to the project",
      () => ({ cluster_id: closedClusterId }),
      6074,
      /cluster elsewhere is not open to project shop/,
    ],
    [
      "an undefined global variable",
      () => ({ global_variables: [{ key: "colour", value: "blue" }] }),
      6074,
      /colour is not defined on the project/,
    ],
    ["a name in use", () => ({ env_key: "taken" }), 6074, /environment already exists: taken in project shop/],
    ["a production environment's name", () => ({ env_key: "live" }), 6074, /environment already exists: live/],
    [
      "a value without the key that the template asks for",
      () => withService("nested", [{ key: "site", value: "colour: blue" }]),
      6074,
      /service nested: .*site\.title/,
    ],
    [
      "a value that begins another document",
      () => withService("greeter", [{ key: "greeting", value: "hi\n---\nkind: Pod" }]),
      6045,
      /service greeter: the value of greeting may not begin a line with ---/,
    ],
    [
      "a value that brings a namespace",
      () => withService("greeter", [{ key: "greeting", value: "hi\nnamespace: kube-system" }]),
      6045,
      /service greeter: the value of greeting may not bring/,
    ],
    ["a Namespace as an object", () => withService("space"), 6045, /service space: Namespace "more"/],
    [
      "several services that are refused, all at once",
      () => ({ services: ["space", "web", "room"].map((service_name) => ({ service_name, type: "k8s" })) }),
      6045,
      /service space: Namespace "more".*; service room: Namespace "room"/,
    ],
    [
      "several services that cannot be rendered, all at once",
      () => ({
        services: [
          { service_name: "ghost" },
          { service_name: "nested", variable_kvs: [{ key: "site", value: "colour: blue" }] },
        ],
      }),
      6074,
      /service ghost not found.*; service nested: .*site\.title/,
    ],
  ])("with %s", async (_, change, code, reason) => {
    const { status, json } = await refused(change());
    expect({ status, code: json.code }).toEqual({ status: 400, code });
    expect(json.description).toMatch(reason);
  });

  test.each<[string, object, string]>([
    ...["production", "envcfgs", "service", "services", "helm", "kube", "image", "scale"].map(
      (name): [string, object, string] => [`the reserved name ${name}`, { env_key: name }, "env_key"],
    ),
    ...["", "Dev", "-dev", "dev-", "a_b", "../dev", "d".repeat(51), "ä", "__proto__"].map(
      (name): [string, object, string] => [`the name ${JSON.stringify(name)}`, { env_key: name }, "env_key"],
    ),
    ...["kube-system", "kube-public", "kube-node-lease", "slipway-jobs", "Shop", "a.b", "n".repeat(64)].map(
      (name): [string, object, string] => [`the namespace ${name}`, { namespace: name }, "namespace"],
    ),
    ["a cluster's name that nobody has", { cluster_id: undefined, cluster_name: "ghost" }, "cluster_name"],
    ["no cluster", { cluster_id: undefined }, "cluster_id"],
    [
      "a key given twice",
      withService("greeter", [
        { key: "greeting", value: "a" },
        { key: "greeting", value: "b" },
      ]),
      "services[0].variable_kvs[1].key",
    ],
    [
      "a service given twice",
      { services: [{ service_name: "web" }, { service_name: "web" }] },
      "services[1].service_name",
    ],
    ["services that are no list", { services: { service_name: "web" } }, "services"],
  ])("with %s, naming the field", async (_, change, path) => {
    const { status, json } = await refused(change);
    expect({ status, code: json.code }).toEqual({ status: 400, code: 400 });
    expect(json.extra.problems?.map((problem) => problem.path)).toContain(path);
  });

  test.each([{ enable: true, base_env: "taken" }, [{ enable: true, base_env: "taken" }]])(
    "as a sub-environment of an environment that is no base",
    async (sub_env) => {
      const { status, json } = await refused({ sub_env });
      expect({ status, code: json.code }).toEqual({ status: 400, code: 6074 });
    },
  );

  test.each(["kube-system", "kube-public", "kube-node-lease", "slipway-jobs"])(
    "of a production environment in %s",
    async (namespace) => {
      const body = { ...environmentBody("fresh", namespace), services: undefined };
      const { status, json } = await slipway.call<Refusal>("POST", `${environments}/production?projectKey=shop`, {
        body,
      });
      expect({ status, code: json.code }).toEqual({ status: 400, code: 400 });
    },
  );
});

describe("an environment", () => {
  const list = { service_list: [{ service_name: "web" }] };

  test.each([
    ["is not there", "", "ghost"],
    ["is a production one", "", "live"],
    ["is a test one", "/production", "taken"],
  ])("that %s is 404 on every path of the other, and stays as it is", async (_, kind, name) => {
    const path = `${environments}${kind}`;
    const body = { env_key: name, ...list };
    const answers = await Promise.all([
      slipway.call<Refusal>("GET", `${path}/${name}?projectKey=shop`),
      slipway.call<Refusal>("GET", `${path}/${name}/services/web?projectKey=shop&workLoadtype=Deployment`),
      slipway.call<Refusal>("GET", `${path}/services/yaml?projectKey=shop&envName=${name}&serviceName=web`),
      slipway.call<Refusal>("POST", `${path}/service/yaml?projectKey=shop`, { body }),
      slipway.call<Refusal>("PUT", `${path}/service/yaml?projectKey=shop`, { body }),
      slipway.call<Refusal>("PUT", `${path}/${name}/services?projectKey=shop`, { body: list }),
      slipway.call<Refusal>("DELETE", `${path}/service/yaml?projectKey=shop`, {
        body: { env_key: name, service_names: ["web"] },
      }),
      slipway.call<Refusal>("DELETE", `${path}/${name}?projectKey=shop&isDelete=true`),
    ]);
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [404, 404]));
    await untilStatus(slipway, "shop", "taken", "succeeded");
  });

  test("of another project answers like one that does not exist", async () => {
    const person = await newPerson("neighbour", [{ namespace: "other", roles: { "project-admin": [] } }]);
    const { token } = person;
    const ask = async (name: string) => {
      const paths = [`${environments}/${name}?projectKey=shop`, `${environments}/${name}?projectKey=other`];
      const answers = await Promise.all(paths.map((path) => slipway.call<Refusal>("GET", path, { token })));
      return answers.map(({ status, json }) => [status, json.code, json.description.replaceAll(name, "<name>")]);
    };
    expect(await ask("taken")).toEqual(await ask("ghost"));
    expect((await ask("taken")).map(([status]) => status)).toEqual([403, 404]);
    const deleted = await slipway.call("DELETE", `${environments}/taken?projectKey=shop&isDelete=true`, { token });
    expect(deleted.status).toBe(403);
    await untilStatus(slipway, "shop", "taken", "succeeded");
  });

  test("is not deleted by a word that is neither yes nor no", async () => {
    const path = `${environments}/taken?projectKey=shop`;
    const { status, json } = await slipway.call<Refusal>("DELETE", `${path}&isDelete=maybe`);
    expect({ status, code: json.code }).toEqual({ status: 400, code: 400 });
    expect(json.extra.problems?.map((problem) => problem.path)).toEqual(["isDelete"]);
    await untilStatus(slipway, "shop", "taken", "succeeded");
  });

  test("takes no service that is not defined, twice, or without a name", async () => {
    const path = `${environments}/service/yaml?projectKey=shop`;
    const add = (names: string[]) =>
      slipway.call<Refusal>("POST", path, {
        body: { env_key: "taken", service_list: names.map((service_name) => ({ service_name })) },
      });
    expect((await add(["ghost"])).json.code).toBe(6092);
    expect((await add(["web", "web"])).json.code).toBe(400);
    expect((await add([""])).json.code).toBe(400);
    expect((await add(["space"])).json.code).toBe(6045);
    const updated = await slipway.call<Refusal>("PUT", path, { body: { env_key: "taken", ...list } });
    expect(updated.status).toBe(404);
    expect((await untilStatus(slipway, "shop", "taken", "succeeded")).services).toEqual([]);
  });
});

describe("a service is refused when it is saved", () => {
  const map = (name: string, namespace?: string) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    metadata: { name, namespace },
  });

  test.each<[string, object[], RegExp]>([
    ["a kind of the whole cluster", [node], /Node "more" belongs to the whole cluster/],
    ["a generated name", [{ ...map("a"), metadata: { generateName: "a-" } }], /metadata\.generateName/],
    ["a name that Kubernetes does not take", [map("A_map")], /ConfigMap "A_map": a name has at most 253/],
    ["a Service that begins with a digit", [{ ...map("1a"), kind: "Service" }], /Service "1a": the name of a Service/],
    ["an object that stands twice", [map("a"), map("b"), map("a")], /ConfigMap "a" stands twice/],
    ["a namespace of the system", [map("a", "kube-public")], /ConfigMap "a" is in namespace kube-public/],
    [
      "two namespaces",
      [map("a", "shop"), map("b"), map("c", "other"), map("d", "other")],
      /"a" is in namespace shop, ConfigMap "c" is in namespace other; a service has one namespace/,
    ],
    [
      "several of them, all at once",
      [node, map("A"), map("b"), map("b")],
      /Node "more".*; ConfigMap "A".*; ConfigMap "b"/,
    ],
  ])("with %s", async (_, objects, reason) => {
    const yaml = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    const path = "/openapi/service/yaml/raw?projectKey=shop";
    const { status, json } = await slipway.call<Refusal>("POST", path, { body: { service_name: "wrong", yaml } });
    expect({ status, code: json.code }).toEqual({ status: 400, code: 6045 });
    expect(json.description).toMatch(reason);
  });

  test("but not for a name that is filled in later, nor with names that roles may have", async () => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "a:B" },
      rules: [],
    };
    const names = ["$EnvName$-map", "{{.name}}", "{{.other}}"];
    const placed = ["{{.other}}", "$Namespace$", "shop"].map((namespace, at) => map(`map-${at}`, namespace));
    const yaml = [...names.map((name) => map(name)), ...placed, role]
      .map((object) => JSON.stringify(object))
      .join("\n---\n");
    await newService("later", yaml);
  });
});
