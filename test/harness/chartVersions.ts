import { untilStatus } from "./boutique.ts";
import { makeChartEnvironment, makeChartProject, readStoredChart, untilChanged } from "./chartProject.ts";
import type { DefinitionCalls } from "./definitionCalls.ts";
import { startForVersions, type VersionSetting } from "./deliveryVersions.ts";
import { chartFiles } from "./packedChart.ts";
import { pusher } from "./testRegistry.ts";

/** As `startForVersions`, with a project `charts` whose service `web` is the chart `web` 1.0.0. */
export async function startForChartVersions(
  more: Parameters<typeof startForVersions>[0] = {},
): Promise<VersionSetting> {
  const setting = await startForVersions(more);
  await makeChartProject(setting.slipway, "charts", chartFiles("1.0.0"));
  const values_yaml = `image:\n  repository: ${setting.source.address}/dev/web\n  tag: "1"\n`;
  await readStoredChart(setting.slipway, "charts", { service_name: "web", values_yaml });
  return setting;
}

/** An environment `dev` that runs `web`, and a chart repository `hub` in the registry of the copies. */
export async function runChart({ slipway, calls, source, target, targetId }: VersionSetting): Promise<void> {
  await pusher(source.address).image("dev/web", "1");
  await addChartRepository(calls, { repo_name: "hub", type: "oci", url: `http://${target.address}/charts` });
  await makeChartEnvironment(slipway, "charts", { env_name: "dev", namespace: "charts-dev", registry_id: targetId });
  await untilChanged(slipway, "charts", "dev");
  await calls.ok("POST", "/openapi/environments/helm/dev/services?projectKey=charts", {
    services: [{ service_name: "web" }],
  });
  await untilStatus(slipway, "charts", "dev", "running");
}

export async function addChartRepository({ ok }: DefinitionCalls, body: object): Promise<void> {
  await ok("POST", "/api/aslan/system/helm", body);
}

/** A version of `web` whose image goes from one registry to the other. */
export function chartVersionBody({ targetId, image }: VersionSetting, version_name: string, more: object = {}) {
  const chart_version = /^\d/.test(version_name) ? version_name : "9.0.0";
  const images = [image("web", "1", chart_version)];
  return {
    ...{ project_key: "charts", version_name, source: "manual", image_registry_id: targetId, chart_repo_name: "hub" },
    services: [{ service_name: "web", chart_version, images }],
    ...more,
  };
}
