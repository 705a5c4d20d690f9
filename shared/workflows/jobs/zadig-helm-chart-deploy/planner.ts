import * as z from "zod";
import { text } from "../../definition/wireFields.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as zadigHelmChartDeploy } from "./kind.ts";

/** What the runner needs to deploy one release. */
export interface ChartDeployRun {
  env: string;
  production: boolean;
  release: string;
  repository: string;
  chart: string;
  version: string;
  valuesYaml: string;
  overrides: { key: string; value: unknown }[];
  skipsCheck: boolean;
}

const input = z.looseObject({ env_name: text });

/** Minutes that a deployment may take, as that of a service. */
const deployMinutes = 10;

/** Charts of a repository: one job task for each release (contract W 5). */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { env_name } = readInputs(input, parameters, job);
    const { env, env_source } = readSpec(zadigHelmChartDeploy, job);
    return { ...job.spec, env: env_source === "fixed" || !env_name ? env : env_name };
  },
  expand: async (job) => {
    const { env, production, skip_check_run_status, deploy_helm_charts } = readSpec(zadigHelmChartDeploy, job);
    return deploy_helm_charts.map((sent) => {
      const { release_name, chart_repo, chart_name, chart_version, values_yaml, override_kvs } = sent;
      const overrides = override_kvs.map(({ key, value }) => ({ key, value: value ?? null }));
      const run: ChartDeployRun = {
        ...{ env: env ?? "", production: production === true, release: release_name },
        ...{ repository: chart_repo, chart: chart_name, version: chart_version ?? "" },
        ...{ valuesYaml: values_yaml ?? "", overrides, skipsCheck: skip_check_run_status === true },
      };
      return {
        parts: [release_name],
        jobInfo: { release_name },
        spec: {
          ...{ env: run.env, env_alias: "", production: run.production, skip_check_run_status: run.skipsCheck },
          deploy_helm_charts: [
            {
              ...{ release_name, chart_repo, chart_name, chart_version: run.version },
              ...{ values_yaml: run.valuesYaml, override_kvs: overrides },
            },
          ],
        },
        run: { ...run },
        timeoutMinutes: deployMinutes,
      };
    });
  },
  variables: async (job) => new Map([["envName", readSpec(zadigHelmChartDeploy, job).env ?? ""]]),
};
