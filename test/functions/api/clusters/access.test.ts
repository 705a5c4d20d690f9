import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { findCluster } from "../../../../shared/kube/clusters/store/clusters.ts";
import { newPerson } from "../../../harness/people.ts";
import { type ClusterCalls, localId, path, type Shown, startForClusters } from "./clusterCalls.ts";
import { kubeconfig, oneNamespace, serve } from "./clusterFixtures.ts";

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
});

afterAll(() => slipway.close());

describe("who may", () => {
  test("only system administrators register, change and delete; the rest needs a role", async () => {
    const nobody = await newPerson("nobody");
    const member = await newPerson("member", [{ namespace: "shop", roles: { "project-admin": [] } }]);
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

describe("what is seen", () => {
  test("by somebody with a role are the clusters of their projects, and no other project of them", async () => {
    const api = await serve(oneNamespace);
    const body = (name: string, project_names: string[]) => ({
      ...{ name, type: "kubeconfig", kube_config: kubeconfig(api.url), project_names },
    });
    const member = await newPerson("seer", [{ namespace: "shop", roles: { "read-only": [] } }]);
    for (const [name, projects] of [
      ["of-both", ["shop", "bank"]],
      ["of-bank", ["bank"]],
    ] as const)
      expect((await slipway.post(body(name, [...projects]))).status).toBe(200);
    const { json } = await slipway.call<Shown[]>("GET", path, { token: member.token });
    const shown = json.filter(({ name }) => name.startsWith("of-"));
    expect(shown.map((one) => [one.name, one.project_names])).toEqual([["of-both", ["shop"]]]);
  });
});

describe("what is kept", () => {
  test("mutations, refused ones too, stand in the operation log with its words and without the body", async () => {
    const { cluster_id: id } = await slipway.register("logged");
    await slipway.call("PUT", `${path}/${id}`, { body: { name: "logged-2" } });
    await slipway.call("DELETE", `${path}/${id}`);
    await slipway.post({ name: "logged-3", type: "kubeconfig", kube_config: "{{{" });
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
    const answer = await slipway.post<{ cluster: Shown }>({
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
    const refusal = await slipway.post({
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
