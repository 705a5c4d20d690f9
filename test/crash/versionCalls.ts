import { basicAuthorization } from "../../infra/local/registry/basicAuth.ts";
import type { Caller } from "../harness/boutique.ts";
import type { Answer } from "../harness/slipway.ts";
import { pusher } from "../harness/testRegistry.ts";
import { succeed } from "./scenario.ts";

export const releases = "/openapi/delivery/releases";

export interface MadeVersion {
  id: string;
  version_name: string;
  status: string;
  error: string;
  services: { images: { status: string; digest: string }[] }[];
}

export async function prepareProject(slipway: Caller): Promise<void> {
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
}

/** The login of the registry of whoever is killed, as an operator sets it. */
export const victimsRegistryLogin = { username: "slipway", password: "password-of-the-crash-suite" };

/** Writes straight to that registry, and reads from it. */
export const victimsPusher = (host: string) =>
  pusher(host, { authorization: basicAuthorization(victimsRegistryLogin) });

/** The registry of the installation itself, which goes down and comes up with it. */
export async function registryOf(slipway: Caller): Promise<{ id: string; host: string }> {
  const answer = await slipway.call<{ registry_id: string; address: string }[]>("GET", "/openapi/system/registry");
  const [registry] = answer.json;
  if (registry === undefined) throw new Error("there is no registry");
  return { id: registry.registry_id, host: registry.address.replace(/^https?:\/\//, "") };
}

/** A version that takes `slipway/<image>:1` to `slipway/released/<image>:<version>`, a service each. */
export async function createVersion(slipway: Caller, version: string, images: readonly string[]): Promise<Answer> {
  const { id, host } = await registryOf(slipway);
  const services = images.map((name) => ({
    service_name: name,
    images: [
      {
        ...{ container_name: name, image_name: `released/${name}`, push_image: true },
        ...{ source_image: `${host}/slipway/${name}:1`, source_image_tag: "1" },
        ...{ target_image: `${host}/slipway/released/${name}:${version}`, target_image_tag: version },
      },
    ],
  }));
  const body = { project_key: "shop", version_name: version, source: "manual", image_registry_id: id, services };
  return slipway.call("POST", `${releases}/k8s`, { body });
}

/** A version of the chart `web`, with its image. */
export async function createChartVersion(slipway: Caller, version: string): Promise<Answer> {
  const { id, host } = await registryOf(slipway);
  const image = {
    ...{ container_name: "web", image_name: "released/web", push_image: true },
    ...{ source_image: `${host}/slipway/web:1`, source_image_tag: "1" },
    ...{ target_image: `${host}/slipway/released/web:${version}`, target_image_tag: version },
  };
  const services = [{ service_name: "web", chart_version: version, images: [image] }];
  const places = { image_registry_id: id, chart_repo_name: "released" };
  const body = { project_key: "shop", version_name: version, source: "manual", ...places, services };
  return slipway.call("POST", `${releases}/helm`, { body });
}

export async function listVersions(slipway: Caller): Promise<MadeVersion[]> {
  const path = `${releases}?projectKey=shop&pageSize=200`;
  const { list } = (await slipway.call<{ list: { id: string }[] }>("GET", path)).json;
  return Promise.all(list.map(async ({ id }) => (await slipway.call<MadeVersion>("GET", `${releases}/${id}`)).json));
}
