import { loadChart, makeChartProject } from "./chartProject.ts";
import type { DefinitionCalls } from "./definitionCalls.ts";
import { startForVersions, type VersionSetting } from "./deliveryVersions.ts";
import { chartFiles } from "./packedChart.ts";

/** As `startForVersions`, with a project `charts` whose service `web` is the chart `web` 1.0.0. */
export async function startForChartVersions(settings: Record<string, string> = {}): Promise<VersionSetting> {
  const setting = await startForVersions({ settings });
  await makeChartProject(setting.slipway, "charts", chartFiles("1.0.0"));
  const values_yaml = `image:\n  repository: ${setting.source.address}/dev/web\n  tag: "1"\n`;
  await loadChart(setting.slipway, "charts", { service_name: "web", values_yaml });
  return setting;
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
