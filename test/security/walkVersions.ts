import type { Slipway } from "../harness/slipway.ts";
import { pusherTo } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";
import type { Call } from "./walk.ts";

const localRegistry = "0123456789abcdef12345679";

/** Delivery versions of the project `walk`; the image of one is nowhere, so that it can be done again. */
export async function walkVersions(call: Call): Promise<void> {
  const { address } = await call<{ address: string }>("GET /openapi/system/registry/{id}", {
    params: { id: localRegistry },
  });
  const prefix = `${address.replace("http://", "")}/slipway`;
  const image = {
    ...{ container_name: "web", image_name: "released", push_image: true },
    ...{ source_image: `${prefix}/walked:1`, source_image_tag: "1" },
    ...{ target_image: `${prefix}/released:1`, target_image_tag: "1" },
  };
  for (const path of ["/openapi/delivery/releases", "/api/aslan/delivery/releases"]) {
    const version_name = `walk ${path}`;
    const made = { project_key: "walk", version_name, source: "manual", image_registry_id: localRegistry };
    await call(`POST ${path}/k8s`, { body: { ...made, services: [{ service_name: "web", images: [image] }] } });
    const read = () =>
      call<{ id: string; status: string }>("GET /openapi/delivery/releases/detail", {
        query: { projectKey: "walk", versionName: version_name },
      });
    await waitFor("the version to have failed", async () => (await read()).status === "failed");
    const { id } = await read();
    await call(`GET ${path}/{id}`, { params: { id } });
    await call(`POST ${path}/retry`, { body: { id, project_key: "walk" } });
    await waitFor("the version to have failed again", async () => (await read()).status === "failed");
    await call("GET /openapi/delivery/releases", { query: { projectKey: "walk" } });
    await call("GET /api/aslan/delivery/releases", { query: { projectName: "walk" } });
    await call("GET /api/directory/dc/releases");
    await call(`DELETE ${path}/{id}`, { params: { id }, query: { projectKey: "walk" } });
  }
}

/** A version that is made, read in all its forms, and deployed into the test environment. */
export async function walkVersionUses(
  slipway: Slipway,
  call: Call,
  settled: (status: string) => Promise<unknown>,
): Promise<void> {
  const host = slipway.runtime.registryAddress.replace("http://", "");
  await pusherTo(slipway.runtime).image("slipway/deployed", "1");
  const reference = `${host}/slipway/deployed:1`;
  const images = [{ container_name: "main", image_name: "deployed", push_image: false, target_image: reference }].map(
    (image) => ({ ...image, source_image: reference, source_image_tag: "1", target_image_tag: "1" }),
  );
  const query = { projectKey: "walk" };
  const made = { project_key: "walk", version_name: "deployed", source: "manual", labels: ["walked"] };
  await call("POST /openapi/delivery/releases/k8s", { body: { ...made, services: [{ service_name: "web", images }] } });
  const read = () =>
    call<{ id: string; status: string }>("GET /openapi/delivery/releases/detail", {
      query: { ...query, versionName: "deployed" },
    });
  await waitFor("the version to be made", async () => (await read()).status === "success");
  const { id } = await read();
  await call("GET /openapi/delivery/releases/{id}/manifest", { params: { id } });
  await call("GET /openapi/delivery/releases/{id}/diff/{other}", { params: { id, other: id } });
  await call("POST /openapi/delivery/releases/{id}/deploy", { params: { id }, query, body: { env_key: "dev" } });
  await settled("running");
  await call("GET /api/aslan/delivery/releases/labels", { query: { projectName: "walk" } });
  await call("GET /api/aslan/delivery/releases/check", { query: { projectName: "walk", version: "another" } });
  await call("POST /api/aslan/delivery/releases/helm/global-variables", {
    body: { globalVariables: "a: 1", services: [{ service_name: "web", yaml_content: "b: 2" }] },
  });
}
