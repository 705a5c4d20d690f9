import { expect } from "vitest";
import type { RuntimeOptions } from "../../infra/local/runtime.ts";
import { type DefinitionCalls, definitionCallsOf } from "./definitionCalls.ts";
import { type Slipway, startSlipway } from "./slipway.ts";
import { startTestRegistry, type TestRegistry } from "./testRegistry.ts";
import { waitFor } from "./waitFor.ts";

export const releases = "/openapi/delivery/releases";

export interface ShownImage {
  signature: { identity: string; issuer: string } | null;
  container_name: string;
  image_name: string;
  source_image: string;
  source_image_tag: string;
  target_image: string;
  status: string;
  error: string;
  digest: string;
  size: number;
  platforms: string[];
}

export interface ShownVersion {
  id: string;
  version_name: string;
  status: string;
  error: string;
  services: { service_name: string; yaml_content: string; images: ShownImage[]; error: string }[];
}

/** An installation with the projects `shop` and `other` and two registries: images come from `dev` and go to `rel`. */
export interface VersionSetting {
  slipway: Slipway;
  calls: DefinitionCalls;
  source: TestRegistry;
  target: TestRegistry;
  targetId: string;
  /** An image that goes from one to the other. */
  image(name: string, tag?: string, targetTag?: string): ReturnType<typeof pushed>;
  close(): Promise<void>;
}

/** @param more a cluster other than the sandbox, settings, and whether it has the console */
export async function startForVersions(more: Partial<RuntimeOptions> = {}): Promise<VersionSetting> {
  const slipway = await startSlipway({
    ...more,
    podDelayMilliseconds: 0,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8", ...more.settings },
  });
  const calls = definitionCallsOf(slipway);
  const [source, target] = [await startTestRegistry(), await startTestRegistry()];
  for (const project_key of ["shop", "other"])
    await calls.ok("POST", "/openapi/projects/project", {
      project_key,
      project_name: project_key,
      project_type: "yaml",
    });
  await addRegistry(calls, source.address, "dev");
  const targetId = await addRegistry(calls, target.address, "rel");
  return {
    ...{ slipway, calls, source, target, targetId },
    image: (name, tag = "1", targetTag = tag) =>
      pushed(`${source.address}/dev`, `${target.address}/rel`, name, tag, targetTag),
    close: async () => {
      await slipway.close();
      await source.close();
      await target.close();
    },
  };
}

/** An image that is pushed from one registry to another under the same name. */
export function pushed(from: string, to: string, name: string, tag: string, targetTag = tag) {
  return {
    ...{ container_name: name, image_name: name, push_image: true },
    ...{ source_image: `${from}/${name}:${tag}`, source_image_tag: tag },
    ...{ target_image: `${to}/${name}:${targetTag}`, target_image_tag: targetTag },
  };
}

/** A version of a service for each image. */
export function versionBody(version_name: string, image_registry_id: string, images: readonly object[], more = {}) {
  const services = images.map((image) => ({
    service_name: (image as { container_name: string }).container_name,
    yaml_content: "",
    images: [image],
  }));
  return { project_key: "shop", version_name, source: "manual", image_registry_id, services, ...more };
}

/** Adds a registry that asks for no login. @returns its id */
export async function addRegistry({ ok }: DefinitionCalls, address: string, namespace: string): Promise<string> {
  const body = { address: `http://${address}`, provider: "native", namespace, is_default: false };
  await ok("POST", "/openapi/system/registry", body);
  const list = await ok<{ registry_id: string; address: string; namespace: string }[]>(
    "GET",
    "/openapi/system/registry",
  );
  const found = list.find((one) => one.address === body.address && one.namespace === namespace);
  return found?.registry_id ?? "";
}

export async function versionNamed(slipway: Slipway, name: string, project = "shop"): Promise<ShownVersion> {
  const query = new URLSearchParams({ projectKey: project, versionName: name });
  const answer = await slipway.call<ShownVersion>("GET", `${releases}/detail?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** The version once it is over. */
export async function endOf(slipway: Slipway, name: string, project = "shop"): Promise<ShownVersion> {
  let version: ShownVersion | undefined;
  await waitFor(
    `version ${name} to be over`,
    async () => {
      version = await versionNamed(slipway, name, project);
      return version.status === "success" || version.status === "failed";
    },
    60,
  );
  if (version === undefined) throw new Error("no version was read");
  return version;
}
