import { afterAll, beforeAll, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_REFERENCE_SHAPES: "true" } });
});

afterAll(() => slipway.close());

test("with reference shapes the list of test services is bare, like that of production services", async () => {
  const project = { project_key: "demo", project_name: "Demo", project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body: project });
  const body = { service_name: "web", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" };
  await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=demo", { body });
  const list = await slipway.call("GET", "/openapi/service/yaml/services?projectKey=demo");
  expect(list.json).toEqual([{ service_name: "web", source: "spock", type: "k8s", containers: [] }]);
});
