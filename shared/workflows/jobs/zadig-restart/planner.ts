import * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { zadigRestart } from "../../definition/specs/zadigRestart.ts";
import { flag, listOf, text } from "../../definition/wireFields.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { modulesOfJob } from "../zadig-deploy/fromJob.ts";

/** What the runner needs to restart one service. */
export interface RestartRun {
  env: string;
  production: boolean;
  deployType: string;
  service: string;
  skipsCheck: boolean;
}

const spec = zadigRestart.extend({ env_job_name: text, deploy_type: text });
const input = z.looseObject({
  env_name: text,
  service_list: listOf(z.union([z.string(), z.looseObject({ service_name: z.string("must be a text") })])),
});
const place = z.looseObject({ env: text, production: flag });

const restartMinutes = 10;

/** A rolling restart: one job task for each service (contract W 8.9). */
export const restartPlanner: JobPlanner = {
  select: async (job, parameters) => {
    const { env_name, service_list } = readSpec(input, parameters, `inputs of job ${job.name}`);
    const { env, env_source } = read(job);
    const services = service_list.map((one) => (typeof one === "string" ? one : one.service_name));
    return {
      ...job.spec,
      env: env_source === "fixed" || !env_name ? env : env_name,
      ...(services.length > 0 && { services }),
    };
  },
  expand: async (job, scope) => {
    const { deploy_type, skip_check_run_status, ...settings } = read(job);
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

function read(job: WorkflowJob) {
  return readSpec(spec, job.spec, `spec of job ${job.name}`);
}

/** The environment, which may be that of another job. */
function placeOf(job: WorkflowJob, { definition }: PlanScope): z.output<typeof place> {
  const { env_source, env_job_name } = read(job);
  if (env_source !== "fromjob") return readSpec(place, job.spec, `spec of job ${job.name}`);
  const source = definition.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === env_job_name);
  if (source === undefined)
    throw new ApiError(
      6160,
      `job ${job.name} takes its environment from job ${env_job_name}, which is not in the workflow`,
    );
  return readSpec(place, source.spec, `spec of job ${source.name}`);
}

function servicesOf(
  job: WorkflowJob,
  settings: Pick<z.output<typeof spec>, "source" | "job_name" | "services">,
  scope: PlanScope,
): string[] {
  const listed = [...new Set(settings.services ?? [])];
  if (settings.source !== "fromjob") return listed;
  const taken = [...new Set(modulesOfJob(scope, settings.job_name ?? "", job.name).map(({ service }) => service))];
  return listed.length === 0 ? taken : taken.filter((service) => listed.includes(service));
}
