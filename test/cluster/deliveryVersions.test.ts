import { describe, expect, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { startApiOnCluster } from "../harness/apiOnCluster.ts";
import { endOf, releases, versionBody } from "../harness/deliveryVersions.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: delivery versions on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("delivery versions on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  test(`the images of a version are deployed by digest on ${operator.server}`, async () => {
    const setting = await startApiOnCluster(operator.text);
    const { calls, slipway, source, target, targetId, image, imageThere } = setting;
    try {
      const { digest } = await pusher(source.address).image("dev/api", "2");
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
      await setting.close();
    }
  }, 240_000);
}
