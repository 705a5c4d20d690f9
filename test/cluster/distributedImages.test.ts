import { describe, expect, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { startApiOnCluster } from "../harness/apiOnCluster.ts";
import { tasksOf } from "../harness/tasks.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined) {
  console.warn("SKIPPED: copied images on a real cluster. Set KUBECONFIG to a Kubernetes API server to run them.");
  describe.skip("copied images on a real cluster: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  test(`what a job copied is deployed by the next one on ${operator.server}`, async () => {
    const setting = await startApiOnCluster(operator.text);
    const { calls, slipway, source, target, targetId, imageThere } = setting;
    const tasks = tasksOf(slipway, "shop");
    try {
      await pusher(source.address).image("dev/api", "2");
      const registries = await calls.ok<{ registry_id: string; namespace: string }[]>(
        "GET",
        "/openapi/system/registry",
      );
      const sourceId = registries.find((one) => one.namespace === "dev")?.registry_id;
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
      await setting.close();
    }
  }, 300_000);
}
