import * as z from "zod";
import { configTypes } from "../../../../shared/environments/rules/configObject.ts";
import { filled, paging, plainName, unixSeconds } from "../../../../shared/http/schemas.ts";
import { projectQuery } from "../schemas.ts";
import { gitRepo, sourceDetail } from "./configSource.ts";

const configType = z.enum(configTypes);

/** Absent is all four types (contract P 7.2). */
export const listQuery = z.object({ ...projectQuery, type: configType.optional() });
export const oneQuery = z.object({ ...projectQuery, type: configType });
export const deletionQuery = z.object({
  ...projectQuery,
  type: z.enum(configTypes, {
    error: ({ input }) => (input === undefined || input === "" ? "type is empty" : undefined),
  }),
});
export const historyQuery = z.object({ ...projectQuery, type: configType, ...paging });
export const configParams = z.object({ envName: z.string(), envCfgName: plainName(253) });

const config = {
  name: filled("name", 253),
  common_env_cfg_type: configType,
  yaml_data: filled("yaml_data", 1_000_000),
  auto_sync: z
    .boolean()
    .optional()
    .meta({ description: "true: changes of the file that source_detail names are taken over within ten minutes" }),
  source_detail: sourceDetail.nullish(),
  services: z.array(z.string().max(63)).max(1000).optional(),
};

export const newConfig = z.object(config);

export const changedConfig = z.object({
  ...config,
  env_key: filled("env_key", 50),
  service_name: z.string().optional(),
  restart_associated_svc: z.boolean().optional(),
});

const listed = { update_by: z.string().optional(), update_time: unixSeconds.optional() };

export const configItem = z
  .object({
    name: z.string(),
    env_name: z.string(),
    project_name: z.string(),
    common_env_cfg_type: configType,
    ...listed,
  })
  .meta({ id: "EnvironmentConfigItem" });

const source = z
  .object({ git_repo_config: gitRepo.optional(), load_path: z.string().optional() })
  .nullable()
  .meta({ id: "EnvironmentConfigSource" });

const common = {
  name: z.string(),
  project_key: z.string(),
  env_key: z.string(),
  common_env_cfg_type: configType,
  created_by: z.string().optional(),
  created_time: unixSeconds.optional(),
  ...listed,
  yaml_data: z.string().optional(),
  services: z.array(z.string()).optional(),
  source_detail: source,
  auto_sync: z.literal(true).optional().meta({ description: "it follows the file of source_detail" }),
  sync_error: z.string().optional().meta({ description: "why the file could not be read at the last check" }),
};

/** Exactly one of the four keys (contract P 7.3). */
export const configDetail = z
  .object({
    configMap_detail: z
      .object({ ...common, immutable: z.boolean().optional(), cm_data: z.record(z.string(), z.string()).optional() })
      .optional(),
    secret_detail: z.object({ ...common, secret_type: z.string().optional() }).optional(),
    ingress_detail: z
      .object({
        ...common,
        host_info: z.string().optional(),
        address: z.string().optional(),
        ports: z.string().optional(),
        error_reason: z.string().optional(),
      })
      .optional(),
    pvc_detail: z
      .object({
        ...common,
        status: z.string().optional(),
        volume: z.string().optional(),
        access_modes: z.string().optional(),
        storage_class: z.string().optional(),
        capacity: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: "EnvironmentConfigDetail" });

export const configHistory = z.array(
  z
    .object({
      revision: z.int(),
      name: z.string(),
      common_env_cfg_type: configType,
      operation: z.enum(["create", "update", "delete"]),
      create_by: z.string(),
      create_time: unixSeconds,
      yaml_data: z.string(),
      source_detail: source,
    })
    .meta({ id: "EnvironmentConfigChange" }),
);
