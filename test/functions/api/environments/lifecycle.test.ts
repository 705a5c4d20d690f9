import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBoutique, detailOf, environmentBody, untilStatus } from "../../../harness/boutique.ts";
import { indexesShowAll } from "../../../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { storeCallsOf } from "../../../harness/storeCallsOf.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  await createBoutique(slipway, "shop");
});

afterAll(() => slipway.close());

describe("an environment", () => {
  test("deploys twelve workloads, shows them live, changes, and goes with its namespace", async () => {
    const created = await storeCallsOf("POST", "/openapi/environments?projectKey=shop", {
      body: environmentBody("dev", "shop-dev"),
    });
    expect(created.body).toBe('{"message":"success"}');
    // What is asked of every service is asked of all together.
    expect(created.calls.filter(({ kind }) => kind === "get").length).toBeLessThan(12);
    const detail = await untilStatus(slipway, "shop", "dev", "running");
    expect(detail.services).toHaveLength(12);
    expect(new Set(detail.services.map((service) => service.status))).toEqual(new Set(["running"]));

    await indexesShowAll();
    const list = await slipway.call<{ env_key: string; status: string }[]>(
      "GET",
      "/openapi/environments?projectKey=shop",
    );
    expect(list.json).toEqual([
      expect.objectContaining({ env_key: "dev", env_name: "dev", status: "success", production: false }),
    ]);

    const instance = await slipway.call<{ scales: { name: string; pods: unknown[] }[] }>(
      "GET",
      "/openapi/environments/dev/services/frontend?projectKey=shop&workLoadtype=Deployment",
    );
    expect(instance.json.scales).toEqual([
      expect.objectContaining({ name: "frontend", type: "Deployment", replicas: 1 }),
    ]);
    expect(instance.json.scales[0]?.pods).toHaveLength(1);

    const yaml = await slipway.call(
      "GET",
      "/openapi/environments/services/yaml?projectKey=shop&envName=dev&serviceName=frontend",
    );
    expect(yaml.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(yaml.text).toContain("kind: Deployment");

    const removed = await slipway.call("DELETE", "/openapi/environments/service/yaml?projectKey=shop", {
      body: { env_key: "dev", service_names: ["loadgenerator"] },
    });
    expect(removed.text).toBe('{"message":"success"}');
    expect((await detailOf(slipway, "shop", "dev")).services).toHaveLength(11);
    const added = await slipway.call("POST", "/openapi/environments/service/yaml?projectKey=shop", {
      body: { env_key: "dev", service_list: [{ service_name: "loadgenerator" }] },
    });
    expect(added.text).toBe('{"message":"success"}');
    expect((await untilStatus(slipway, "shop", "dev", "running")).services).toHaveLength(12);

    const deleted = await slipway.call("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=true");
    expect(deleted.text).toBe('{"message":"success"}');
    await waitFor("the environment to be gone", async () => {
      const answer = await slipway.call("GET", "/openapi/environments/dev?projectKey=shop");
      return answer.status === 404;
    });
  });
});
