import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { kindsOf, operationLogKinds, storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";

const prefix = "/openapi/service/yaml";
const authentication = 2;
let slipway: Slipway;

const yamlOf = (name: string, padding = 0) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec:\n  template:\n    spec:\n      containers:\n        - {name: ${name}, image: "reg.io/${name}:v1"}\n# ${"x".repeat(padding)}\n`;

async function create(name: string, padding = 0) {
  const body = { service_name: name, yaml: yamlOf(name, padding) };
  return storeCallsOf("POST", `${prefix}/raw?projectKey=demo`, { body });
}

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_key: "demo", project_name: "Demo", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  for (let at = 0; at < 20; at++) expect((await create(`service-${at}`)).status).toBe(200);
  expect((await create("sizable", 3100)).status).toBe(200);
  expect((await create("large", 50_000)).status).toBe(200);
});

afterAll(() => slipway.close());

describe("the store's part in a request", () => {
  test.each([
    ["the list", "services?projectKey=demo"],
    ["an empty list", "production/services?projectKey=demo"],
    ["a small service", "service-1?projectKey=demo"],
    ["a service whose answer has almost 4 KB", "sizable?projectKey=demo"],
    ["labels", "service-1/labels?projectKey=demo"],
    ["labels of a large service", "large/labels?projectKey=demo"],
  ])("reading %s costs at most two round trips and 1.5 units", async (_, path) => {
    const { status, body, calls } = await storeCallsOf("GET", `${prefix}/${path}`);
    expect(status).toBe(200);
    expect(body.length).toBeLessThanOrEqual(4096);
    const own = calls.slice(authentication);
    expect(own.length).toBeLessThanOrEqual(2);
    expect(unitsOf(own)).toBeLessThanOrEqual(1.5);
  });

  test("a large service costs one unit for each 4 KB, once", async () => {
    const { body, calls } = await storeCallsOf("GET", `${prefix}/large?projectKey=demo`);
    const own = calls.slice(authentication);
    expect(own).toHaveLength(1);
    expect(unitsOf(own)).toBeLessThanOrEqual(Math.ceil(body.length / 4096) + 1);
  });

  test("creating is one batch read of small items and one transaction, whatever stands there", async () => {
    const made = await create("new-one");
    expect(kindsOf(made, authentication)).toEqual(["write", "getMany", "write", ...operationLogKinds]);
    const again = await create("large");
    const reads = again.calls.slice(authentication + 1, authentication + 2);
    expect(again.status).toBe(400);
    expect(unitsOf(reads)).toBeLessThanOrEqual(2);
  });

  test("replacing is one read and one transaction; the same YAML costs no transaction", async () => {
    const put = (yaml: string) =>
      storeCallsOf("PUT", `${prefix}/service-2?projectKey=demo`, { body: { type: "k8s", yaml } });
    const changed = await put(yamlOf("changed"));
    expect(kindsOf(changed, authentication)).toEqual(["write", "get", "write", ...operationLogKinds]);
    const same = await put(yamlOf("changed"));
    expect(kindsOf(same, authentication)).toEqual(["write", "get", ...operationLogKinds]);
  });
});
