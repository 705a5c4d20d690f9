import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import type { selection } from "../../definition/specParts.ts";
import { flag, listOf, requiredText, text } from "../../definition/wireFields.ts";
import { jobNamed } from "../jobNamed.ts";
import { modulesOfJob, originOf } from "../modulesOfJob.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as zadigRestart } from "./kind.ts";

/** What the runner needs to restart one service. */
export interface RestartRun {
  env: string;
  production: boolean;
  deployType: string;
  service: string;
  skipsCheck: boolean;
}

const input = z.looseObject({
  env_name: text,
  service_list: listOf(z.union([z.string(), z.looseObject({ service_name: requiredText })])),
});
/** Where another job works. */
const place = { schema: z.looseObject({ env: text, production: flag }) };

const restartMinutes = 10;

/** A rolling restart: one job task for each service (contract W 8.9). */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { env_name, service_list } = readInputs(input, parameters, job);
    const { env, env_source } = readSpec(zadigRestart, job);
    const services = service_list.map((one) => (typeof one === "string" ? one : one.service_name));
    return {
      ...job.spec,
      env: env_source === "fixed" || !env_name ? env : env_name,
      ...(services.length > 0 && { services }),
    };
  },
  expand: async (job, scope) => {
    const { deploy_type, skip_check_run_status, ...settings } = readSpec(zadigRestart, job);
    const { env, production } = placeOf(job, scope);
    return servicesOf(job, settings, scope).map((service) => {
      const run: RestartRun = {
        ...{ env: env ?? "", production: production === true, deployType: deploy_type || "k8s", service },
        skipsCheck: skip_check_run_status === true,
      };
      return {
        parts: [service],
        jobInfo: { service_name: service },
        spec: {
          ...{ env: run.env, service_name: service, production: run.production, deploy_type: run.deployType },
          ...{ skip_check_run_status: run.skipsCheck, cluster_id: "", timeout: restartMinutes, replace_resources: [] },
        },
        run: { ...run },
        timeoutMinutes: restartMinutes,
      };
    });
  },
};

/** The environment, which may be that of another job. */
function placeOf(job: WorkflowJob, scope: PlanScope): z.output<typeof place.schema> {
  const { env_source, env_job_name } = readSpec(zadigRestart, job);
  if (env_source !== "fromjob") return readSpec(place, job);
  const source = jobNamed(scope, env_job_name);
  if (source === undefined)
    throw new ApiError(
      6160,
      `job ${job.name} takes its environment from job ${env_job_name}, which is not in the workflow`,
    );
  return readSpec(place, source);
}

function servicesOf(
  job: WorkflowJob,
  settings: Pick<z.output<typeof zadigRestart.schema>, keyof typeof selection | "services">,
  scope: PlanScope,
): string[] {
  const listed = [...new Set(settings.services ?? [])];
  if (settings.source !== "fromjob") return listed;
  const modules = modulesOfJob(scope, { by: job.name, from: originOf(settings), mustRun: true });
  const taken = [...new Set(modules.map(({ service_name }) => service_name))];
  return listed.length === 0 ? taken : taken.filter((service) => listed.includes(service));
}
