import type { JobPreviewer } from "../preview.ts";
import type { ChartDeployRun } from "./planner.ts";

/** Which release a job would deploy; a preview asks no chart repository, so it cannot say what the chart brings. */
export const previewChartDeploy: JobPreviewer = async ({ projectKey, run }) => {
  const { env, production, release, repository, chart, version } = run as unknown as ChartDeployRun;
  const action = `deploys chart ${chart}${version === "" ? "" : ` ${version}`} of chart repository ${repository}`;
  const notes = ["the chart is fetched when the job runs; what it changes is not shown before"];
  const look = async () => ({ modules: [], objects: [] });
  return [{ projectKey, envKey: env, production, services: [{ name: release, action, notes, look }] }];
};
