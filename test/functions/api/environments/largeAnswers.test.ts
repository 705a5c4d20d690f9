import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterClient } from "../../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { detailOf, localClusterId } from "../../../harness/boutique.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const services = ["one", "two", "three", "four", "five", "six"];
/** Applied and live together are more than an answer holds of six. */
const value = (letter: string) => letter.repeat(700_000);
let slipway: Slipway;
let client: ClusterClient;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  client = connect({ kind: "kubeconfig", text, trusted: true });
  await send("POST", "/openapi/projects/project", {
    ...{ project_name: "large", project_key: "large", project_type: "yaml" },
  });
  for (const service_name of services)
    await send("POST", "/openapi/service/yaml/raw?projectKey=large", {
      service_name,
      yaml: JSON.stringify({ ...configMap(service_name), data: { text: value("a") } }),
    });
  await send("POST", "/openapi/environments?projectKey=large", {
    ...{ env_key: "dev", namespace: "large-dev", cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
    services: services.map((service_name) => ({ service_name })),
  });
  await waitFor("the environment", async () => {
    const { stored_status, error } = await detailOf(slipway, "large", "dev");
    if (stored_status === "failed") throw new Error(error);
    return stored_status === "success";
  });
});

afterAll(async () => {
  client.close();
  await slipway.close();
});

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

test("a drift of more than an answer holds tells the first objects, and that there are more", async () => {
  for (const name of services)
    await client.patch(
      { ...configMap(name).metadata, apiVersion: "v1", kind: "ConfigMap", namespace: "large-dev" },
      { type: "merge", body: { data: { text: value("b") } } },
    );
  const drift = await slipway.call<{ in_sync: boolean; truncated?: true; objects: { name: string }[] }>(
    "GET",
    "/openapi/environments/dev/drift?projectKey=large",
  );
  expect(drift.status, drift.text.slice(0, 300)).toBe(200);
  expect(drift.json).toMatchObject({ in_sync: false, truncated: true });
  expect(drift.json.objects).toHaveLength(4);
  expect(drift.headers.get("x-truncated")).toBe("4 of 6");
});
