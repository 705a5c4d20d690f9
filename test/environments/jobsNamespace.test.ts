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

test("no environment stands in the namespace of the jobs, whatever it is called", async () => {
  const body = { env_key: "dev", namespace: "builds", cluster_id: localClusterId, services: [] };
  const answer = await slipway.call("POST", "/openapi/environments?projectKey=shop", {
    body: { ...body, registry_id: "0123456789abcdef12345679" },
  });
  expect([answer.status, answer.json]).toMatchObject([
    400,
    { code: 6074, description: "namespace builds belongs to the platform's jobs; choose another one" },
  ]);
});
