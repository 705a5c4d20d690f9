import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCluster } from "../../../../shared/kube/clusters/openCluster.ts";
import { newPerson } from "../../../harness/people.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { type ClusterCalls, localId, path, type Shown, startForClusters } from "./clusterCalls.ts";
import { kubeconfig, oneNamespace, refusing, serve } from "./clusterFixtures.ts";

/** Store calls that tell who asks, where any role will do. */
const authentication = 4;

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
});

afterAll(() => slipway.close());

describe("listing", () => {
  test("clusters come by name, and with a project those that it may use", async () => {
    await slipway.register("z-for-shop", { project_names: ["zshop"] });
    await slipway.register("a-for-nobody", { project_names: [] });
    const names = (await slipway.list()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("a-for-nobody");
    expect((await slipway.list("?projectName=zshop")).map(({ name }) => name)).toEqual(["local", "z-for-shop"]);
    expect((await slipway.list("?projectName=unheard-of")).map(({ name }) => name)).toEqual(["local"]);
  });

  test("the status is that of the last use; why it is abnormal is told to administrators", async () => {
    let broken = false;
    const api = await serve((request, response) =>
      broken ? refusing(401, "Unauthorized", "expired")(request, response) : oneNamespace(request, response),
    );
    const { cluster_id: id } = await slipway.register("failing", {
      ...{ kube_config: kubeconfig(api.url), project_names: ["shop"] },
    });
    broken = true;
    const check = await slipway.istio(id);
    expect(check.json).toMatchObject({ code: 6403, message: "failed to list cluster resources" });
    expect(await slipway.named("failing")).toMatchObject({
      status: "abnormal",
      status_message: expect.stringContaining("expired"),
    });
    const { token } = await newPerson("viewer", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const seen = await slipway.call<Shown[]>("GET", path, { token });
    expect(seen.json.find(({ name }) => name === "failing")).toMatchObject({ status: "abnormal" });
    expect(seen.text).not.toContain("status_message");
    broken = false;
    expect((await slipway.istio(id)).status).toBe(200);
    expect(await slipway.named("failing")).not.toHaveProperty("status_message");
    expect(await slipway.named("failing")).toMatchObject({ status: "normal" });
  });

  test("reading the list takes one round trip and half a unit for 4 KB", async () => {
    const { status, calls, body } = await storeCallsOf("GET", path);
    expect(status).toBe(200);
    const own = calls.slice(authentication);
    expect(own).toHaveLength(1);
    expect(unitsOf(own)).toBeLessThanOrEqual(0.5 * Math.ceil(body.length / 4096));
  });
});

describe("Istio", () => {
  test("is found by a Deployment named istiod in any namespace", async () => {
    const check = `/openapi/cluster/istio/check/${localId}`;
    expect((await slipway.call("GET", check)).text).toBe("false");
    const { client } = await openCluster(localId);
    await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } });
    await client.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "istiod", namespace: "istio-system" },
      spec: {
        selector: { matchLabels: { app: "istiod" } },
        template: {
          metadata: { labels: { app: "istiod" } },
          spec: { containers: [{ name: "discovery", image: "istio/pilot:1" }] },
        },
      },
    });
    expect((await slipway.call("GET", check)).text).toBe("true");
  });
});
