import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { loadOperatorKubeconfig } from "../../shared/kube/client/operatorKubeconfig.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { endOf, releases, startForVersions, versionBody } from "../harness/deliveryVersions.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await loadOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: delivery versions on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("delivery versions on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  test(`the images of a version are deployed by digest on ${operator.server}`, async () => {
    const setting = await startForVersions({ kubeconfig: operator.text });
    const client = connect({ kind: "kubeconfig", text: operator.text, trusted: true });
    const namespace = `slipway-test-version-${randomBytes(3).toString("hex")}`;
    const { calls, slipway, source, target, targetId, image } = setting;
    try {
      const { digest } = await pusher(source.address).image("dev/api", "2");
      const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
      await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
      const [cluster] = await calls.ok<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
      await calls.ok("POST", "/openapi/environments?projectKey=shop", {
        ...{ env_key: "dev", namespace, cluster_id: cluster?.cluster_id, registry_id: targetId },
        services: [{ service_name: "api" }],
      });
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "api", namespace };
      const imageThere = async () => {
        const live = await client.get(ref).catch(() => undefined);
        const containers = at(live, ["spec", "template", "spec", "containers"]) as { image: string }[] | undefined;
        return containers?.[0]?.image;
      };
      await waitFor("the service to be there", async () => (await imageThere()) !== undefined, 60);
      const services = [{ service_name: "api", images: [{ ...image("api", "2"), container_name: "main" }] }];
      await calls.ok("POST", `${releases}/k8s`, { ...versionBody("2.0", targetId, []), services });
      const { id, error } = await endOf(slipway, "2.0");
      expect(error).toBe("");
      const path = `${releases}/${id}/deploy?projectKey=shop`;
      const { objects } = await calls.ok<{ objects: { action: string; diff: string }[] }>(
        "POST",
        `${path}&dryRun=true`,
        { env_key: "dev" },
      );
      const promised = `${target.address}/rel/api:2@${digest}`;
      expect(objects.map(({ action }) => action)).toEqual(["change"]);
      expect(objects[0]?.diff).toContain(promised);
      expect(await imageThere()).toBe(`${source.address}/dev/api:1`);
      await waitFor(
        "the version to be deployable",
        async () => (await slipway.call("POST", path, { body: { env_key: "dev" } })).status === 200,
        90,
      );
      await waitFor("the image to be there", async () => (await imageThere()) === promised, 60);
    } finally {
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      client.close();
      await setting.close();
    }
  }, 240_000);
}
