import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { readChartArchive } from "../../../packaging/charts/readChartArchive.ts";
import { storeChart } from "../../../packaging/helm/chartStore.ts";
import { findProject } from "../../../projects/store/projects.ts";
import { releaseNamePattern, releaseNameRule } from "./kind.ts";
import type { ChartDeployRun } from "./planner.ts";

/** Why it cannot be deployed at all, reported before anything is changed. */
export async function chartRefusal(projectKey: string, { env, release }: ChartDeployRun): Promise<string | undefined> {
  const type = (await findProject(projectKey))?.projectType;
  if (type !== "helm") return `jobs deploy charts in helm projects, and project ${projectKey} is of type ${type}`;
  if (env === "") return "no environment is named; send env_name, or configure env";
  return releaseNamePattern.test(release) ? undefined : `release_name ${release} ${releaseNameRule}`;
}

/** What the job asks of the environment; the chart is fetched when the release is planned. */
export function chartRequest(projectKey: string, settings: ChartDeployRun): DeployRequest {
  const { env, production, release, repository, chart, version, valuesYaml, overrides } = settings;
  return {
    ...{ projectKey, envKey: env, production, service: release },
    ...{ contents: ["vars", "config"], images: [], variables: [], updatesConfig: true },
    values: { valuesYaml, mergesValues: false, overrideKvs: overrides },
    chart: async () => {
      const place = { chartRepoName: repository, chartName: chart, chartVersion: version };
      const read = await readChartArchive(place);
      return { ...(await storeChart(read)), repository, values: read.values };
    },
  };
}
