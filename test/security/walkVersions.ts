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
    await call(`DELETE ${path}/{id}`, { params: { id }, query: { projectKey: "walk" } });
  }
}
