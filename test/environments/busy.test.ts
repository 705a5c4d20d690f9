import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mustHaveVersion } from "../../shared/base/store/conditions.ts";
import { table } from "../../shared/base/store/table.ts";
import { requireEnvironment } from "../../shared/environments/requireEnvironment.ts";
import { changeEnvironment } from "../../shared/environments/store/environments.ts";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const environments = "/openapi/environments";
let slipway: Slipway;

const call = async (method: string, path: string, body?: object, headersSent: Record<string, string> = {}) => {
  const { status, text, headers } = await slipway.call(method, path, {
    ...{ headers: headersSent, ...(body !== undefined && { body }) },
  });
  return { status, text, retryAfter: headers.get("retry-after") };
};

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 500 });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await call("POST", "/openapi/projects/project", project);
  for (const name of ["web", "api"]) {
    const made = await call("POST", "/openapi/service/yaml/raw?projectKey=shop", {
      ...{ service_name: name, yaml: deploymentYaml(name, `${name}:1`) },
    });
    expect(made.status, made.text).toBe(200);
  }
  const services = ["web", "api"].map((service_name) => ({ service_name }));
  const created = await call("POST", `${environments}?projectKey=shop`, {
    ...{ ...environmentBody("dev", "shop-dev"), services },
  });
  expect(created.status, created.text).toBe(200);
  await untilStatus(slipway, "shop", "dev", "running");
});

afterAll(() => slipway?.close());

const image = (tag: string, headers: Record<string, string> = {}) => {
  const body = { project_key: "shop", workload_name: "api", container_name: "main", image_name: `api:${tag}` };
  return call("POST", `${environments}/image/deployment/dev`, body, headers);
};

/** As it is while a change of it is being applied, for so long. */
async function beBusy(milliseconds: number): Promise<void> {
  await setStatus("updating");
  if (milliseconds === Number.POSITIVE_INFINITY) return;
  setTimeout(() => void setStatus("success"), milliseconds);
}

async function setStatus(status: "updating" | "success"): Promise<void> {
  const { environment } = await requireEnvironment({ projectKey: "shop", envKey: "dev", production: false });
  await table().write(
    changeEnvironment(environment, { status, rollingOut: false }, mustHaveVersion(environment.version)),
  );
}

test("a second change right behind a first one is done (decisions 19.10)", async () => {
  const first = await call("PUT", `${environments}/dev/services?projectKey=shop`, {
    service_list: [{ service_name: "web", variable_kvs: [] }],
  });
  expect(first.status, first.text).toBe(200);
  const second = await image("2");
  expect(second.status, second.text).toBe(200);
});

test.each([
  ["an image update", () => image("3")],
  [
    "an update of services",
    () =>
      call("PUT", `${environments}/dev/services?projectKey=shop`, {
        service_list: [{ service_name: "web", variable_kvs: [] }],
      }),
  ],
  [
    "a removal of services",
    () => call("DELETE", `${environments}/service/yaml?projectKey=shop`, { env_key: "dev", service_names: ["web"] }),
  ],
])("%s waits for the change that is being applied", async (_, change) => {
  await untilStatus(slipway, "shop", "dev", "running");
  await beBusy(2000);
  const began = Date.now();
  const { status, text } = await change();
  expect(status, text).toBe(200);
  expect(Date.now() - began).toBeGreaterThan(1500);
});

test("where it takes too long, the answer is 409 and says when to try again", async () => {
  await beBusy(Number.POSITIVE_INFINITY);
  const began = Date.now();
  const key = { "idempotency-key": "image-4" };
  const { status, text, retryAfter } = await image("4", key);
  expect([status, retryAfter], text).toEqual([409, "5"]);
  expect(text).toContain("cannot be updated: updating");
  const seconds = (Date.now() - began) / 1000;
  expect(seconds).toBeGreaterThan(15);
  expect(seconds).toBeLessThan(20);
  // Who is told to come again is not told the same again.
  await setStatus("success");
  const again = await image("4", key);
  expect(again.status, again.text).toBe(200);
});
