import { afterAll, beforeAll, expect, test } from "vitest";
import { localClusterId } from "../harness/boutique.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_JOBS_NAMESPACE: "builds" } });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body: project });
});

afterAll(() => slipway.close());

test.each(["builds", "builds-shop"])("no environment stands in the namespace of jobs %s", async (namespace) => {
  const body = { env_key: "dev", namespace, cluster_id: localClusterId, services: [] };
  const answer = await slipway.call("POST", "/openapi/environments?projectKey=shop", {
    body: { ...body, registry_id: "0123456789abcdef12345679" },
  });
  expect([answer.status, answer.json]).toMatchObject([
    400,
    { code: 6074, description: `namespace ${namespace} belongs to the platform's jobs; choose another one` },
  ]);
});
