import { EnvironmentProblem } from "../../../environments/failures.ts";
import { planLook } from "../planLook.ts";
import type { JobPreviewer, ServiceLook } from "../preview.ts";
import { lateSentence, lateSentences } from "../variables/lateValues.ts";
import { chartRefusal, chartRequest } from "./chartRequest.ts";
import type { ChartDeployRun } from "./planner.ts";

/** What installing or upgrading a release from a chart repository would change, by the chart that is there now. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const settings = run as unknown as ChartDeployRun;
  const { env, production, release, repository, chart, version, valuesYaml, overrides } = settings;
  const action = `deploys chart ${chart}${version === "" ? "" : ` ${version}`} of chart repository ${repository}`;
  // Without these there is nothing that Helm could render.
  const unknown = Object.entries({
    ...{ "the release": release, "the chart repository": repository, "the chart": chart, "its version": version },
    "what values_yaml holds": valuesYaml,
  }).flatMap(([what, text]) => lateSentence(what, text) ?? []);
  const notes = [...unknown, ...overrides.flatMap(({ key, value }) => lateSentences(`the value ${key}`, value))];
  const look = async (): Promise<ServiceLook> =>
    unknown.length > 0 ? { modules: [], objects: [] } : lookAt(projectKey, settings);
  return [{ projectKey, envKey: env, production, services: [{ name: release, action, notes, look }] }];
};

async function lookAt(projectKey: string, settings: ChartDeployRun): Promise<ServiceLook> {
  const refused = await chartRefusal(projectKey, settings);
  if (refused !== undefined) throw new EnvironmentProblem(refused);
  const { planned, ...look } = await planLook(chartRequest(projectKey, settings));
  const found = planned.release?.chart.version ?? "";
  const isSettled = found === settings.version.trim();
  return { ...look, notes: isSettled ? [] : [`the newest version now is ${found}; the run takes what is newest then`] };
}
