import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { localClusterId } from "../../../harness/boutique.ts";
import { indexesShowAll } from "../../../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

interface Item {
  env_key: string;
  envName?: string;
  registry_id: string;
  update_by: string;
  status: string;
}

const localRegistry = "0123456789abcdef12345679";
const success = '{"message":"success"}';
let slipway: Slipway;
let client: ClusterClient;
let second: string;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  client = connect({ kind: "kubeconfig", text, trusted: true });
  const body = { project_name: "move", project_key: "move", is_public: false, project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).text).toBe(success);
  const registry = { address: "http://127.0.0.1:1", provider: "native", namespace: "other" };
  const login = { ...registry, access_key: "robot", secret_key: "key-of-the-robot" };
  expect((await slipway.call("POST", "/openapi/system/registry", { body: login })).status).toBe(200);
  await indexesShowAll();
  const list = await slipway.call<{ registry_id: string; namespace: string }[]>("GET", "/openapi/system/registry");
  second = list.json.find(({ namespace }) => namespace === "other")?.registry_id ?? "";
  for (const [form, env_key] of [
    ["", "dev"],
    ["/production", "live"],
  ] as const) {
    const environment = {
      env_key,
      cluster_id: localClusterId,
      namespace: `move-${env_key}`,
      registry_id: localRegistry,
    };
    const created = await slipway.call("POST", `/openapi/environments${form}?projectKey=move`, { body: environment });
    expect(created.text).toBe(success);
    await waitFor(`${env_key} to stand`, async () => (await item(form, env_key))?.status === "success");
  }
});

afterAll(async () => {
  client.close();
  await slipway.close();
});

async function item(form: string, envKey: string): Promise<Item | undefined> {
  await indexesShowAll();
  const list = await slipway.call<Item[]>("GET", `/openapi/environments${form}?projectKey=move`);
  return list.json.find(({ env_key }) => env_key === envKey);
}

function put(form: string, envKey: string, body: object) {
  const path = `/openapi/environments${form}/${envKey}?projectKey=move`;
  return slipway.call<{ code: number; description: string }>("PUT", path, { body });
}

async function pullSecret(namespace: string): Promise<string> {
  const ref = { apiVersion: "v1", kind: "Secret", name: "default-registry-secret", namespace };
  const { data } = (await client.get(ref)) as { data?: Record<string, string> };
  return Buffer.from(data?.[".dockercfg"] ?? "", "base64").toString();
}

describe("the record of an environment", () => {
  test("moves to another registry, and the pull secret of its namespace follows", async () => {
    expect((await put("", "dev", { registry_id: second, env_name: "ignored" })).text).toBe(success);
    expect(await item("", "dev")).toMatchObject({ registry_id: second, status: "success" });
    expect((await item("", "dev"))?.envName).toBeUndefined();
    expect(await pullSecret("move-dev")).toContain("127.0.0.1:1");
  });

  test("stays as it is where nothing is given", async () => {
    const before = await item("", "dev");
    expect((await put("", "dev", { registry_id: "" })).text).toBe(success);
    expect((await put("", "dev", {})).text).toBe(success);
    expect(await item("", "dev")).toEqual(before);
  });

  test("of production takes an alias and keeps what is left out", async () => {
    expect((await put("/production", "live", { env_name: "The shop" })).text).toBe(success);
    expect(await item("/production", "live")).toMatchObject({ envName: "The shop", registry_id: localRegistry });
    expect((await put("/production", "live", { registry_id: second })).text).toBe(success);
    expect(await item("/production", "live")).toMatchObject({ envName: "The shop", registry_id: second });
  });

  test("refuses a registry that does not exist, and environments of the other kind", async () => {
    const unknown = await put("", "dev", { registry_id: "f".repeat(24) });
    expect(unknown.json).toMatchObject({ code: 6076, description: expect.stringContaining("does not exist") });
    expect((await put("", "live", { registry_id: second })).status).toBe(404);
    expect((await put("/production", "dev", { registry_id: second })).status).toBe(404);
    expect((await put("", "absent", { registry_id: second })).status).toBe(404);
  });
});
