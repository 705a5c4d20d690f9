import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { loadOperatorKubeconfig } from "../../shared/kube/client/operatorKubeconfig.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { startForVersions } from "../harness/deliveryVersions.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { tasksOf } from "../harness/tasks.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await loadOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: copied images on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("copied images on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  test(`what a job copied is deployed by the next one on ${operator.server}`, async () => {
    const setting = await startForVersions({ kubeconfig: operator.text });
    const client = connect({ kind: "kubeconfig", text: operator.text, trusted: true });
    const namespace = `slipway-test-copy-${randomBytes(3).toString("hex")}`;
    const { calls, slipway, source, target, targetId } = setting;
    const tasks = tasksOf(slipway, "shop");
    try {
      await pusher(source.address).image("dev/api", "2");
      const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
      await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
      const [cluster] = await calls.ok<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
      const registries = await calls.ok<{ registry_id: string; namespace: string }[]>(
        "GET",
        "/openapi/system/registry",
      );
      const sourceId = registries.find((one) => one.namespace === "dev")?.registry_id;
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
      const settled = async () => {
        const path = "/openapi/environments/dev?projectKey=shop";
        return (await calls.ok<{ stored_status: string }>("GET", path)).stored_status === "success";
      };
      await waitFor("the environment to be made", settled, 90);
      const image = { service_name: "api", service_module: "main", image_name: "api", source_tag: "2" };
      const copy = {
        ...{ source: "runtime", source_registry_id: sourceId, target_registry_id: targetId },
        ...{ targets: [image], enable_target_image_tag_rule: true },
        target_image_tag_rule: "{{.workflow.input.imageTag}}-{{.workflow.task.id}}",
      };
      const deploy = { env: "dev", source: "fromjob", job_name: "copy", deploy_contents: ["image"] };
      await calls.ok("POST", "/openapi/workflows/custom", {
        ...{ name: "release", project: "shop" },
        stages: [
          { name: "copy", jobs: [{ name: "copy", type: "zadig-distribute-image", spec: copy }] },
          { name: "deploy", jobs: [{ name: "deploy", type: "zadig-deploy", spec: deploy }] },
        ],
      });
      const task = await tasks.end("release", await tasks.started("release", ["copy", "deploy"]), 90);
      expect(task.stages.flatMap(({ jobs }) => jobs).map(({ status, error }) => [status, error])).toEqual([
        ["passed", ""],
        ["passed", ""],
      ]);
      expect(await imageThere()).toBe(`${target.address}/rel/api:2-1`);
      expect(await pusher(target.address).read("rel/api", "2-1")).toBe(
        await pusher(source.address).read("dev/api", "2"),
      );
    } finally {
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      client.close();
      await setting.close();
    }
  }, 300_000);
}
