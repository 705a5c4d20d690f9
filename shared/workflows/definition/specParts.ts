import * as z from "zod";
import { repositoryFields } from "./script/repositoryForm.ts";
import { workflowStorages } from "./script/storage.ts";
import { flag, listOf, requiredText, scalar, text, texts, whole } from "./wireFields.ts";

/** Fields of every job whose selection may come from an earlier job (contract W 5). */
export const selection = {
  source: z.enum(["", "runtime", "fixed", "fromjob"], "must be runtime, fixed or fromjob").nullish(),
  job_name: text,
  origin_job_name: text,
};

/** Repositories in their full form (contract W 1.5). */
export const repositories = listOf(
  z.looseObject(
    {
      ...repositoryFields,
      source_from: z.enum(["", "runtime", "fixed", "param", "job"], "must be runtime, fixed, param or job").nullish(),
      param_name: text,
    },
    "must be a repository",
  ),
);
export type JobRepositories = readonly Record<string, unknown>[];

/** A variable (contract W 1.5). */
const variable = z.looseObject({
  key: requiredText.min(1, "key cannot be empty"),
  value: scalar.nullish().transform((value) => (value === null || value === undefined ? "" : String(value))),
  type: text,
  choice_option: texts,
  choice_value: texts,
  is_credential: flag,
  source: z.enum(["", "runtime", "fixed", "reference"], "must be runtime, fixed or reference").nullish(),
});
export const variables = listOf(variable);
export type JobVariable = z.output<typeof variable>;

const entry = z.looseObject({ key: requiredText, value: text });
const amount = z.number("must be a number").nullish();
const shared = z.looseObject({ name: requiredText, path: text });

export const shareStorageInfo = z.looseObject({ enabled: flag, share_storages: listOf(shared) }).nullish();

/** Names of outputs where they are not used as a job's own declare them. */
export const outputNames = listOf(z.looseObject({ name: requiredText }));
export const packages = listOf(z.looseObject({ name: requiredText, version: text }));

/** Where and how a job runs, also in `properties`, its older form (contract W 5); `timeout` in minutes. */
export const settingsFields = {
  timeout: whole,
  cluster_id: text,
  strategy_id: text,
  res_req: text,
  res_req_spec: z
    .looseObject({
      ...{ cpu_limit: amount, memory_limit: amount, cpu_req: amount, memory_req: amount, gpu_limit: text },
    })
    .nullish(),
  use_host_docker_daemon: flag,
  privileged_mode: flag,
  custom_annotations: listOf(entry),
  custom_labels: listOf(entry),
  share_storage_info: shareStorageInfo,
  share_storage_details: listOf(shared),
  storages: workflowStorages.nullish(),
  cache_enable: flag,
  cache_dir_type: text,
  cache_user_dir: text,
  outputs: listOf(
    z.looseObject({
      name: requiredText.regex(/^[a-zA-Z0-9_]{1,64}$/, "must have 1 to 64 letters, digits and underscores"),
    }),
  ),
};
export const jobSettings = z.looseObject(settingsFields, "must be an object").nullish();
export type JobSettings = NonNullable<z.output<typeof jobSettings>>;

/** The older form, with the environment and the variables of a freestyle job. */
export const properties = z
  .looseObject(
    {
      ...{ ...settingsFields, outputs: outputNames, envs: variables },
      ...{ infrastructure: text, build_os: text, image_id: text, installs: packages },
    },
    "must be an object",
  )
  .nullish();

/** A service module as a start call names it. */
export const moduleInput = { service_name: requiredText, service_module: text.transform((name) => name ?? "") };
/** One that something is done for. */
export const serviceModule = { ...moduleInput, service_name: requiredText.min(1, "service_name cannot be empty") };

/** What something is done for. */
export interface ServiceModule {
  service_name: string;
  service_module: string;
}

/** A definition that is run with what the workflow says beside it: its variables and repositories. */
export const scriptInputs = { key_vals: variables, repos: repositories, share_storage_info: shareStorageInfo };

const item = { name: requiredText, project_name: text, ...scriptInputs };
/** Tests or scans in the spec of a job (contract W 5). */
export const definitionItems = listOf(z.looseObject(item));
export type DefinitionItem = z.output<typeof definitionItems>[number];
/** The same for service modules. */
export const serviceItems = listOf(z.looseObject({ ...serviceModule, ...item }));
export type ServiceItem = z.output<typeof serviceItems>[number];
export const targetServices = listOf(z.looseObject(serviceModule));
