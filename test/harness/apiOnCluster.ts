import { randomBytes } from "node:crypto";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { startForVersions, type VersionSetting } from "./deliveryVersions.ts";
import { deploymentYaml } from "./manifests.ts";
import { waitFor } from "./waitFor.ts";

interface ApiOnCluster extends VersionSetting {
  /** The image of the service in its environment `dev`, as the cluster has it; undefined while it is not there. */
  imageThere(): Promise<string | undefined>;
}

/** The service `api`, with an image of the source registry that nobody pushed, in an environment of a real cluster. */
export async function startApiOnCluster(kubeconfig: string): Promise<ApiOnCluster> {
  const setting = await startForVersions({ kubeconfig });
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  const namespace = `slipway-test-version-${randomBytes(3).toString("hex")}`;
  const { calls, source, targetId } = setting;
  const close = async (): Promise<void> => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await setting.close();
  };
  const imageThere = async () => {
    const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "api", namespace };
    const live = await client.get(ref).catch(() => undefined);
    const containers = at(live, ["spec", "template", "spec", "containers"]) as { image: string }[] | undefined;
    return containers?.[0]?.image;
  };
  try {
    const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
    await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
    const [cluster] = await calls.ok<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
    await calls.ok("POST", "/openapi/environments?projectKey=shop", {
      ...{ env_key: "dev", namespace, cluster_id: cluster?.cluster_id, registry_id: targetId },
      services: [{ service_name: "api" }],
    });
    await waitFor("the service to be there", async () => (await imageThere()) !== undefined, 60);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...setting, imageThere, close };
}
