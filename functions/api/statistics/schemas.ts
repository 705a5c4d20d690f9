import * as z from "zod";
import { chargedFields, currency } from "../../../shared/http/costFields.ts";
import { pageInteger } from "../../../shared/http/schemas.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";

export const mostProjects = 50;

/** A time in Unix seconds, up to the year 5138: what is larger is counted in milliseconds. */
const time = z
  .string()
  .regex(/^\d{1,11}$/, "must be a time in Unix seconds")
  .transform(Number)
  .optional();

/** Names given once, several times or with commas between them. */
const names = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => [given ?? []].flat().flatMap((text) => text.split(",")))
  .transform((texts) => [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))]);

/** All three spellings together (contract D 5.2). */
const projects = { productNames: names, projectKey: names, projectName: names };

export interface ProjectFilter {
  productNames: string[];
  projectKey: string[];
  projectName: string[];
}

/** The projects that a query names, each once. */
export function projectsIn({ productNames, projectKey, projectName }: ProjectFilter): string[] {
  return [...new Set([...productNames, ...projectKey, ...projectName])];
}

function refuseMany(query: ProjectFilter, context: z.RefinementCtx): void {
  if (projectsIn(query).length > mostProjects)
    context.addIssue({
      code: "custom",
      path: ["productNames"],
      message: `names more than ${mostProjects} projects; ask for fewer at once, or for all by naming none`,
    });
}

export const dayRange = z.object({ startDate: time, endDate: time, ...projects }).superRefine(refuseMany);

export const timeRange = z
  .object({ startTime: time, endTime: time, productNames: names, projectKey: names, projectName: names })
  .superRefine(refuseMany);

export const rollbackQuery = z.object({
  projectKey: z.string().optional(),
  envName: z.string().optional(),
  serviceName: z.string().optional(),
  startTime: time,
  endTime: time,
  pageNum: pageInteger(1),
  pageSize: z
    .string("pageSize is empty")
    .regex(/^[1-9]\d{0,8}$/, "pageSize is empty: it must be a whole number of 1 or more")
    .transform((text) => Math.min(Number(text), 200)),
});

const number = z.int();
const date = z.string().meta({ description: "YYYY-MM-DD in the time zone of the installation" });

export const overview = z
  .object({
    project_count: number,
    cluster_count: number,
    service_count: number,
    workflow_count: number,
    env_count: number,
    artifact_count: number,
  })
  .meta({ id: "StatisticsOverview" });

export const buildStatistics = z
  .object({
    total: number,
    success: number,
    data: z.array(z.object({ date, success: number, failure: number, total: number, timeout: number })),
  })
  .meta({ id: "BuildStatistics" });

export const deployStatistics = z
  .object({
    total: number,
    success: number,
    data: z.array(z.object({ date, success: number, failure: number, total: number, timeout: number, failed: number })),
  })
  .meta({ id: "DeployStatistics" });

export const testStatistics = z
  .object({
    case_count: number,
    exec_count: number,
    success_count: number,
    average_runtime: number.meta({ description: "Seconds, the mean of all runs" }),
    data: z.array(
      z.object({
        date: z.string().meta({ description: "Monday of the week, YYYY-MM-DD" }),
        success_count: number,
        timeout_count: number,
        failed_count: number,
      }),
    ),
  })
  .meta({ id: "TestStatistics" });

export const releaseStatistics = z
  .object({
    total: number,
    success_count: number,
    daily_stat: z.array(z.object({ date, total: number, success_count: number, fail_count: number })),
  })
  .meta({ id: "ReleaseStatistics" });

const seconds = number.nullable();

/** What each day and the whole range tell; the words stand in docs/statistics.md. */
const deployed = {
  passed: number.meta({ description: "Deploy jobs to production that passed" }),
  failed: number.meta({ description: "Deploy jobs to production that failed or timed out" }),
  rolled_back: number.meta({ description: "Of those that passed: taken back by a rollback within 24 hours" }),
  lead_time_seconds: seconds.meta({
    description: "From the commit to the end of its deployment, the mean; null where no commit is known",
  }),
  time_to_restore_seconds: seconds.meta({
    description:
      "From the failure of a service to the deployment or rollback that ended it, the mean; null when none ended",
  }),
};

export const dora = z
  .object({
    deployment_frequency: z.number().meta({ description: "Passed deployments a day" }),
    change_failure_rate: z
      .number()
      .nullable()
      .meta({ description: "From 0 to 1: failed and rolled back of all; null when there were none" }),
    ...deployed,
    data: z.array(z.object({ date, ...deployed })),
  })
  .meta({ id: "DoraStatistics" });

export const cost = z
  .object({
    currency,
    total: z.number().meta({ description: "Of everything in the range, also of what is cut from `data`" }),
    data: z.array(z.object({ project_key: z.string(), workflow_key: z.string(), ...chargedFields })),
    ...cutMark,
  })
  .meta({ id: "CostStatistics" });

const rolledService = z
  .object({
    service_name: z.string(),
    release_name: z.string(),
    containers: z.array(z.object({ name: z.string(), type: z.string(), image: z.string(), image_name: z.string() })),
    rendered_yaml: z.string(),
    values_yaml: z.string(),
    override_values: z.string(),
    update_time: number,
  })
  .meta({ id: "RolledService" });

export const rollbackPage = z
  .object({
    total: number,
    data: z.array(
      z.object({
        project_key: z.string(),
        env_name: z.string(),
        env_type: z.string(),
        production: z.boolean(),
        operation_type: z.string(),
        service_name: z.string(),
        service_type: z.string(),
        origin_service: rolledService,
        update_service: rolledService,
        create_by: z.object({
          uid: z.string(),
          account: z.string(),
          name: z.string(),
          identity_type: z.string(),
        }),
        create_time: number,
        origin_sae_app: z.null(),
        update_sae_app: z.null(),
      }),
    ),
    ...cutMark,
  })
  .meta({ id: "RollbackPage" });
