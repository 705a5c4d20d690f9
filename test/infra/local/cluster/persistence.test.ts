import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Api } from "../../../../infra/local/cluster/api/api.ts";
import { Cluster } from "../../../../infra/local/cluster/controllers/controller.ts";
import { furnish } from "../../../../infra/local/cluster/furnish.ts";
import { configMap, deployment, eventually, startHarness } from "./harness.ts";
import { field } from "./rawClient.ts";

it("has after a restart what was written before, with the same token and growing revisions", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
  const first = await startHarness({ dataDir });
  const made = await first.raw.send("POST", "/api/v1/namespaces/default/configmaps", configMap("kept", { a: "1" }));
  const gone = await first.raw.send("POST", "/api/v1/namespaces/default/configmaps", configMap("gone"));
  await first.raw.send("DELETE", "/api/v1/namespaces/default/configmaps/gone");
  await first.sandbox.close();
  const second = await startHarness({ dataDir });
  expect(second.sandbox.kubeconfig.match(/token.*/)?.[0]).toBe(first.sandbox.kubeconfig.match(/token.*/)?.[0]);
  const found = await second.raw.send("GET", "/api/v1/namespaces/default/configmaps/kept");
  expect(found.body).toEqual(made.body);
  expect((await second.raw.send("GET", "/api/v1/namespaces/default/configmaps/gone")).code).toBe(404);
  const next = await second.raw.send("POST", "/api/v1/namespaces/default/configmaps", configMap("next"));
  expect(Number(field(next, "metadata.resourceVersion"))).toBeGreaterThan(
    Number(field(gone, "metadata.resourceVersion")) + 1,
  );
  await second.stop();
});

it("goes on with a rollout that was written but not worked on before the stop", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
  const api = new Api(join(dataDir, "objects.db"));
  furnish(new Cluster(api));
  api.create(api.registry.find("apps", "v1", "deployments")!, "default", deployment("later", 3), { manager: "test" });
  api.store.close();
  const harness = await startHarness({ dataDir });
  const found = await eventually(
    () => harness.raw.send("GET", "/apis/apps/v1/namespaces/default/deployments/later"),
    (answer) => field(answer, "status.readyReplicas") === 3,
  );
  expect(found.code).toBe(200);
  await harness.stop();
});

it("answers a watch from before the restart with 410", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
  const first = await startHarness({ dataDir });
  const list = await first.raw.send("GET", "/api/v1/namespaces/default/configmaps");
  await first.raw.send("POST", "/api/v1/namespaces/default/configmaps", configMap("later"));
  await first.sandbox.close();
  const second = await startHarness({ dataDir });
  const path = `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${field(list, "metadata.resourceVersion")}`;
  const event = (await second.raw.send("GET", path)).body;
  expect(event).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  await second.stop();
});
