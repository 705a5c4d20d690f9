import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/sandbox/http/certificate.ts";
import { findCluster } from "../../../../shared/store/clusters.ts";
import { references } from "../../../../shared/store/keys.ts";
import { table } from "../../../../shared/store/theTable.ts";
import { create, remove } from "../../../../shared/store/writes.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { unitsOf } from "../../../harness/storeCallsOf.ts";
import { kubeconfig, oneNamespace, refusing, serve } from "./clusterFixtures.ts";

interface Shown {
  cluster_id: string;
  name: string;
  status: string;
  project_names: string[];
  [key: string]: unknown;
}

interface Refusal {
  code: number;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

const path = "/openapi/system/cluster";
const localId = "0123456789abcdef12345678";

let slipway: Slipway;
let sandbox: string;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  sandbox = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
});

afterAll(() => slipway.close());

const post = <T>(body: unknown): Promise<Answer<T>> => slipway.call<T>("POST", path, { body });
const list = async (query = ""): Promise<Shown[]> => (await slipway.call<Shown[]>("GET", path + query)).json;
const named = async (name: string): Promise<Shown | undefined> => (await list()).find((one) => one.name === name);

async function register(name: string, more: object = {}): Promise<Shown> {
  const answer = await post<{ cluster: Shown }>({ name, type: "kubeconfig", kube_config: sandbox, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.cluster;
}

/** Refused with 400; nothing is stored. */
async function refused(body: Record<string, unknown>): Promise<Refusal> {
  const answer = await post<Refusal>(body);
  expect(answer.status, answer.text).toBe(400);
  expect(await named(String(body.name))).toBeUndefined();
  return answer.json;
}

describe("registering a cluster", () => {
  test("the cluster of the machine is there from the start", async () => {
    expect(await list()).toEqual([
      {
        cluster_id: localId,
        name: "local",
        production: true,
        description: "",
        provider: 0,
        provider_name: "Standard Kubernetes",
        created_by: "system",
        created_time: expect.any(Number),
        local: true,
        status: "normal",
        type: "kubeconfig",
        project_names: ["<all_projects>"],
      },
    ]);
  });

  test("a cluster that answers is stored with what was sent and is normal", async () => {
    const answer = await post<{ cluster: Shown; agent_cmd: string }>({
      name: " staging-1 ",
      type: "kubeconfig",
      kube_config: sandbox,
      production: true,
      provider: 6,
      description: "the staging cluster",
      project_names: ["shop", "shop", "pay"],
    });
    expect(answer.json).toEqual({
      cluster: {
        cluster_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: "staging-1",
        production: true,
        description: "the staging cluster",
        provider: 6,
        provider_name: "Google GKE",
        created_by: "admin(openAPI)",
        created_time: expect.any(Number),
        local: false,
        status: "normal",
        type: "kubeconfig",
        project_names: ["shop", "pay"],
      },
      agent_cmd: "",
    });
    expect(await named("staging-1")).toEqual(answer.json.cluster);
  });

  test("an agent's cluster stays pending and comes with the command that starts the agent", async () => {
    const answer = await post<{ cluster: Shown; agent_cmd: string }>({ name: "edge", type: "agent" });
    const { cluster, agent_cmd } = answer.json;
    expect(cluster).toMatchObject({ type: "agent", status: "pending", project_names: [] });
    expect(agent_cmd).toBe(
      `kubectl apply -f "${slipway.runtime.url}/api/aslan/cluster/agent/${cluster.cluster_id}/agent.yaml?type=deploy"`,
    );
    const check = await slipway.call<Refusal>("GET", `/openapi/cluster/istio/check/${cluster.cluster_id}`);
    expect(check.json).toMatchObject({ code: 6403, description: expect.stringContaining("edge waits for its agent") });
  });

  test.each([
    ["Host", 'evil.example.com"; rm -rf ~; "'],
    ["X-Forwarded-Proto", "javascript"],
  ])("the header %s cannot put anything into the agent's command", async (header, value) => {
    const { agentCommand } = await import("../../../../functions/api/clusters/agentCommand.ts");
    const command = agentCommand(localId, { host: "slipway.example.com", [header.toLowerCase()]: value });
    expect(command).toMatch(
      /^kubectl apply -f "(http:\/\/slipway\.example\.com)?\/api\/aslan\/cluster\/agent\/[^"]+"$/,
    );
  });

  test("all problems of a cluster are told at once, each with its field", async () => {
    const { extra } = await refused({
      name: "no_underscores",
      type: "vm",
      kube_config: 7,
      production: "yes",
      provider: 8,
      project_names: ["UPPER"],
    });
    expect(extra.problems?.map((problem) => problem.path).sort()).toEqual([
      "kube_config",
      "name",
      "production",
      "project_names[0]",
      "provider",
      "type",
    ]);
  });

  test.each(["", "a b", "ä", "a/b", "../up", "x".repeat(101), "__proto__"])("the name %j is refused", async (name) => {
    const { code, description } = await refused({ name, type: "agent" });
    expect([code, description]).toEqual([400, expect.stringContaining("The cluster name does not meet the rules")]);
  });

  test.each([
    [{ type: "kubeconfig" }, "kube_config"],
    [{ type: "kubeconfig", kube_config: "" }, "kube_config"],
    [{ type: "agent", kube_config: "apiVersion: v1" }, "kube_config"],
    [{ name: undefined, type: "agent" }, "name"],
    [{}, "type"],
  ])("what is missing or does not belong is named: %j", async (body, field) => {
    expect((await refused({ name: "incomplete", ...body })).extra.problems?.[0]?.path).toBe(field);
  });

  test.each([
    ["an empty body", ""],
    ["an array", "[]"],
    ["a text", '"x"'],
    ["no JSON", "{"],
  ])("%s is refused", async (_, body) => {
    const answer = await post<Refusal>(body);
    expect(answer.json).toMatchObject({ type: "error", code: 400, message: "Bad Request" });
  });

  test("a name that is taken is 6641, and of 20 parallel registrations one wins", async () => {
    await register("taken");
    expect((await post({ name: "taken", type: "kubeconfig", kube_config: sandbox })).json).toMatchObject({
      code: 6641,
      message: "failed to create cluster",
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post<Refusal>({ name: "raced", type: "agent" })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ json }) => json.code === 6641)).toHaveLength(19);
    expect((await list()).filter(({ name }) => name === "raced")).toHaveLength(1);
  });
});

describe("a kubeconfig that would do something else is refused by the name of its field", () => {
  const server = "https://127.0.0.1:1";

  test.each([
    ["users[0].user.exec", kubeconfig(server, { exec: { apiVersion: "v1", command: "touch", args: ["/tmp/owned"] } })],
    ["users[0].user.auth-provider", kubeconfig(server, { "auth-provider": { name: "gcp" } })],
    ["users[0].user.client-certificate", kubeconfig(server, { "client-certificate": "/etc/ssl/client.pem" })],
    ["users[0].user.client-key", kubeconfig(server, { "client-key": "/etc/ssl/client.key" })],
    ["users[0].user.tokenFile", kubeconfig(server, { tokenFile: "/etc/passwd" })],
    ["clusters[0].cluster.certificate-authority", kubeconfig(server, {}, { "certificate-authority": "/etc/ca.pem" })],
    ["clusters[0].cluster.proxy-url", kubeconfig(server, {}, { "proxy-url": "http://127.0.0.1:3128" })],
  ])("%s", async (field, text) => {
    const { code, extra } = await refused({ name: "tricky", type: "kubeconfig", kube_config: text });
    expect(code).toBe(400);
    expect(extra.problems?.map((problem) => problem.path)).toContain(`kube_config.${field}`);
  });

  test.each([
    ["no YAML", "{{{"],
    ["a text", "hello"],
    ["a list", "[]"],
    ["two contexts that lead nowhere", "current-context: x\nclusters: []\ncontexts: []\n"],
    ["an alias bomb", `a: &a [${"x,".repeat(9)}x]\nb: [${"*a,".repeat(9)}*a]\ncurrent-context: x\n`],
  ])("%s is no kubeconfig", async (_, text) => {
    const { extra } = await refused({ name: "garbled", type: "kubeconfig", kube_config: text });
    expect(extra.problems?.every(({ path: field }) => field.startsWith("kube_config"))).toBe(true);
  });
});

describe("a cluster that cannot be used is refused with the reason", () => {
  const reasonOf = async (text: string): Promise<string> => {
    const { extra } = await refused({ name: "unusable", type: "kubeconfig", kube_config: text });
    expect(extra.problems).toHaveLength(1);
    expect(extra.problems?.[0]).toMatchObject({ in: "body", path: "kube_config" });
    return extra.problems?.[0]?.problem ?? "";
  };

  test("unreachable", async () => {
    expect(await reasonOf(kubeconfig("https://127.0.0.1:9"))).toContain("the cluster does not answer");
  });

  test("401", async () => {
    const wrongToken = sandbox.replace(/token: .*/, 'token: "wrong"');
    expect(await reasonOf(wrongToken)).toMatch(/the cluster refuses it .*Unauthorized.*credentials/);
  });

  test("403", async () => {
    const api = await serve(refusing(403, "Forbidden", 'namespaces is forbidden: User "x" cannot list'));
    expect(await reasonOf(kubeconfig(api.url))).toContain("namespaces is forbidden");
  });

  test("an expired certificate", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
    const expired = selfSignedCertificate("old");
    vi.useRealTimers();
    const api = await serve(oneNamespace, expired);
    const authority = { "certificate-authority-data": Buffer.from(expired.certificate).toString("base64") };
    expect(await reasonOf(kubeconfig(api.url, {}, authority))).toContain("certificate has expired");
    expect(api.requests()).toBe(0);
  });

  test("a certificate of somebody else", async () => {
    const api = await serve(oneNamespace, selfSignedCertificate("other"));
    expect(await reasonOf(kubeconfig(api.url))).toContain("certificate is not valid");
  });

  test("something that is no Kubernetes", async () => {
    const api = await serve((_, response) => response.end("<html>welcome</html>"));
    expect(await reasonOf(kubeconfig(api.url))).toContain("no Kubernetes API server answers there");
  });

  test.each(["https://10.1.2.3:6443", "https://169.254.169.254", "https://[::1]:6443"])(
    "the address %s, which the operator did not allow",
    async (server) => {
      expect(await reasonOf(kubeconfig(server))).toContain("address is not allowed");
    },
  );
});

describe("changing a cluster", () => {
  test("what is not given stays, an empty list of projects means nobody", async () => {
    const cluster = await register("changing", { description: "before", project_names: ["shop"] });
    const at = `${path}/${cluster.cluster_id}`;
    const change = async (body: object) => {
      expect((await slipway.call("PUT", at, { body })).json).toEqual({ message: "success" });
      return (await list()).find(({ cluster_id }) => cluster_id === cluster.cluster_id);
    };
    expect(await change({})).toEqual(cluster);
    expect(await change({ name: null, description: null, project_names: null })).toEqual(cluster);
    expect(await change({ description: "after" })).toEqual({ ...cluster, description: "after" });
    expect(await change({ name: "changed", description: "" })).toEqual({
      ...cluster,
      name: "changed",
      description: "",
    });
    expect(await change({ project_names: [] })).toMatchObject({ name: "changed", project_names: [] });
    expect(await change({ ...cluster, status: "pending", local: true, production: true, type: "agent" })).toEqual(
      cluster,
    );
    // The old name is free again.
    await register("changed");
  });

  test("a name that is taken is 6642 and changes nothing, a wrong one is 400, an unknown cluster 404", async () => {
    const cluster = await register("keeps-its-name");
    const at = `${path}/${cluster.cluster_id}`;
    const body = { name: "local", project_names: ["other"] };
    expect((await slipway.call("PUT", at, { body })).json).toMatchObject({
      code: 6642,
      message: "failed to update cluster",
    });
    expect((await slipway.call("PUT", at, { body: { name: "a b" } })).json).toMatchObject({ code: 400 });
    expect(await named("keeps-its-name")).toEqual(cluster);
    const unknown = await slipway.call("PUT", `${path}/0123456789abcdef00000000`, { body });
    expect(unknown.json).toMatchObject({ code: 404 });
    expect((await slipway.call("PUT", `${path}/nonsense`, { body })).status).toBe(404);
  });

  test("a new kubeconfig is checked like the first, and the cluster is used with it from then on", async () => {
    const cluster = await register("rotating");
    const at = `${path}/${cluster.cluster_id}`;
    const api = await serve(oneNamespace);
    const wrong = await slipway.call<Refusal>("PUT", at, { body: { kube_config: kubeconfig("https://127.0.0.1:9") } });
    expect(wrong.json.extra.problems?.[0]?.path).toBe("kube_config");
    const check = `/openapi/cluster/istio/check/${cluster.cluster_id}`;
    expect((await slipway.call("GET", check)).json).toBe(false);
    expect(api.requests()).toBe(0);
    expect((await slipway.call("PUT", at, { body: { kube_config: kubeconfig(api.url) } })).status).toBe(200);
    await slipway.call("GET", check);
    expect(api.requests()).toBe(2);
    const local = await slipway.call<Refusal>("PUT", `${path}/${localId}`, { body: { kube_config: sandbox } });
    expect(local.json.description).toContain("follows the setting of the installation");
  });
});

describe("listing", () => {
  test("clusters come by name, and with a project those that it may use", async () => {
    await register("z-for-shop", { project_names: ["zshop"] });
    await register("a-for-nobody", { project_names: [] });
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("a-for-nobody");
    expect((await list("?projectName=zshop")).map(({ name }) => name)).toEqual(["local", "z-for-shop"]);
    expect((await list("?projectName=unheard-of")).map(({ name }) => name)).toEqual(["local"]);
  });

  test("the status is that of the last use; why it is abnormal is told to administrators", async () => {
    let broken = false;
    const api = await serve((request, response) =>
      broken ? refusing(401, "Unauthorized", "expired")(request, response) : oneNamespace(request, response),
    );
    const { cluster_id: id } = await register("failing", { kube_config: kubeconfig(api.url) });
    broken = true;
    const check = await slipway.call<Refusal>("GET", `/openapi/cluster/istio/check/${id}`);
    expect(check.json).toMatchObject({ code: 6403, message: "failed to list cluster resources" });
    expect(await named("failing")).toMatchObject({
      status: "abnormal",
      status_message: expect.stringContaining("expired"),
    });
    const { token } = await newPerson(slipway, "viewer", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const seen = await slipway.call<Shown[]>("GET", path, { token });
    expect(seen.json.find(({ name }) => name === "failing")).toMatchObject({ status: "abnormal" });
    expect(seen.text).not.toContain("status_message");
    broken = false;
    expect((await slipway.call("GET", `/openapi/cluster/istio/check/${id}`)).status).toBe(200);
    expect(await named("failing")).not.toHaveProperty("status_message");
    expect(await named("failing")).toMatchObject({ status: "normal" });
  });

  test("reading the list takes one round trip and half a unit", async () => {
    const { storeCallsOf } = await import("../../../harness/storeCallsOf.ts");
    const { calls } = await storeCallsOf("GET", path);
    const own = calls.filter(({ kind }) => kind === "query").slice(-1);
    expect(unitsOf(own)).toBeLessThanOrEqual(1.5);
  });
});

describe("deleting a cluster", () => {
  test("it is forgotten with its name, and deleting it again succeeds", async () => {
    const { cluster_id: id } = await register("short-lived");
    for (const _ of ["first", "again"]) {
      expect((await slipway.call("DELETE", `${path}/${id}`)).json).toEqual({ message: "success" });
    }
    expect(await named("short-lived")).toBeUndefined();
    expect((await slipway.call("GET", `/openapi/cluster/istio/check/${id}`)).status).toBe(404);
    await register("short-lived");
  });

  test("while an environment stands on it, it is 6644 that names the environment", async () => {
    const { cluster_id: id } = await register("in-use");
    const environment = { pk: "environment#shop#dev", sk: "env" };
    await table().write(
      create({ ...environment, type: "environment", refPk: references.cluster(id), refSk: "shop-dev#1" }),
    );
    const refusal = await slipway.call<Refusal>("DELETE", `${path}/${id}`);
    expect(refusal.json).toMatchObject({ code: 6644, description: expect.stringContaining("dev of project shop") });
    expect(await named("in-use")).toBeDefined();
    await table().write(remove(environment));
    expect((await slipway.call("DELETE", `${path}/${id}`)).status).toBe(200);
  });

  test("the machine's own cluster is refused", async () => {
    expect((await slipway.call("DELETE", `${path}/${localId}`)).json).toMatchObject({ code: 6644 });
    expect(await named("local")).toBeDefined();
  });
});

describe("Istio", () => {
  test("is found by a Deployment named istiod in any namespace", async () => {
    const check = `/openapi/cluster/istio/check/${localId}`;
    expect((await slipway.call("GET", check)).text).toBe("false");
    const { openCluster } = await import("../../../../shared/clusters/openCluster.ts");
    const { client } = await openCluster(localId);
    await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } });
    await client.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "istiod", namespace: "istio-system" },
      spec: {
        selector: { matchLabels: { app: "istiod" } },
        template: {
          metadata: { labels: { app: "istiod" } },
          spec: { containers: [{ name: "discovery", image: "istio/pilot:1" }] },
        },
      },
    });
    expect((await slipway.call("GET", check)).text).toBe("true");
  });
});

describe("who may", () => {
  test("only system administrators register, change and delete; the rest needs a role", async () => {
    const nobody = await newPerson(slipway, "nobody");
    const member = await newPerson(slipway, "member", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    const writes: [string, string][] = [
      ["POST", path],
      ["PUT", `${path}/${localId}`],
      ["DELETE", `${path}/${localId}`],
    ];
    for (const [method, at] of writes) {
      const body = method === "DELETE" ? {} : { body: { name: "x", type: "agent" } };
      expect((await slipway.call(method, at, { ...body, token: null })).status).toBe(401);
      expect((await slipway.call(method, at, { ...body, token: member.token })).json).toMatchObject({ code: 403 });
    }
    for (const at of [path, `/openapi/cluster/istio/check/${localId}`]) {
      expect((await slipway.call("GET", at, { token: null })).status).toBe(401);
      expect((await slipway.call("GET", at, { token: nobody.token })).status).toBe(403);
      expect((await slipway.call("GET", at, { token: member.token })).status).toBe(200);
    }
  });
});

describe("what is kept", () => {
  test("mutations, refused ones too, stand in the operation log with its words and without the body", async () => {
    const { cluster_id: id } = await register("logged");
    await slipway.call("PUT", `${path}/${id}`, { body: { name: "logged-2" } });
    await slipway.call("DELETE", `${path}/${id}`);
    await post({ name: "logged-3", type: "kubeconfig", kube_config: "{{{" });
    const logs = await slipway.call<{ operation_logs: Record<string, unknown>[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=4&page=1",
    );
    const common = { function: "Resource Configuration - Cluster", project_key: "", request_body: "" };
    expect(logs.json.operation_logs).toMatchObject([
      { ...common, method: "Create", detail: "logged-3", status: 400 },
      { ...common, method: "Delete", detail: id, status: 200 },
      { ...common, method: "Update", detail: id, status: 200 },
      { ...common, method: "Create", detail: "logged", status: 200 },
    ]);
  });

  test("the kubeconfig stands in no answer, no log and no item", async () => {
    const api = await serve(oneNamespace);
    const secret = "token-4711-that-must-stay-inside";
    const answer = await post<{ cluster: Shown }>({
      name: "sealed",
      type: "kubeconfig",
      kube_config: kubeconfig(api.url, { token: secret }),
    });
    const id = answer.json.cluster.cluster_id;
    expect((await findCluster(id))?.kubeConfig).toEqual({
      wrappedKey: expect.any(String),
      nonce: expect.any(String),
      content: expect.any(String),
      tag: expect.any(String),
    });
    const refusal = await post({
      name: "sealed",
      type: "kubeconfig",
      kube_config: kubeconfig(api.url, { token: secret }),
    });
    const items = [
      await table().query({ pk: `cluster#${id}` }),
      await table().query({ index: "list", pk: "clusters" }),
    ];
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=5&page=1");
    const log = readFileSync(process.env.SLIPWAY_LOG_FILE ?? "", "utf8");
    for (const text of [answer.text, refusal.text, JSON.stringify(items), logs.text, log])
      expect(text).not.toContain(secret);
  });
});
