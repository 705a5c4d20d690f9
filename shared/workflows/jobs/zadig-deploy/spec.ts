import * as z from "zod";
import { flag, listOf, text, texts } from "../../definition/wireFields.ts";

const name = z.string("must be a text").min(1, "cannot be empty");

const variable = z.looseObject({ key: name, value: z.unknown(), use_global_variable: flag });

const serviceModule = z.looseObject({ service_module: name, image: text, image_name: text });

const deployService = z.looseObject({
  service_name: name,
  modules: listOf(serviceModule),
  /** Whether the newest revision is taken where `config` is deployed; absent: yes. */
  update_config: flag,
  variable_kvs: listOf(variable),
  /** The older name of the same. */
  key_vals: listOf(variable),
  value_merge_strategy: text,
});

/** A service with one module and its image: the older form of `services`. */
const serviceAndImage = z.looseObject({ service_name: name, service_module: name, image: text });

/** Two forms are in use: a value with its source, and whether the environment's global variable is taken. */
const variableConfig = z.looseObject({
  variable_key: name,
  source: text,
  value: z.unknown(),
  use_global_variable: flag,
});

/** The spec of a deploy job (contract W 5). */
export const deploySpec = z.looseObject({
  env: text,
  env_source: text,
  production: flag,
  deploy_type: text,
  deploy_contents: texts,
  source: text,
  job_name: text,
  version_name: text,
  services: listOf(deployService),
  service_and_images: listOf(serviceAndImage),
  service_variable_config: listOf(z.looseObject({ service_name: name, variable_configs: listOf(variableConfig) })),
  skip_check_run_status: flag,
  value_merge_strategy: text,
});
export type DeploySpec = z.output<typeof deploySpec>;
export type DeployService = z.output<typeof deployService>;

/** Parameters of a start call (contract W 3): one entry for each module. */
export const deployInput = z.looseObject({
  env_name: text,
  service_list: listOf(
    z.looseObject({ service_name: name, service_module: text, image_name: text, value_merge_strategy: text }),
  ),
});

/** Services that are written out in the spec, in the newer form. */
export function listedServices({ services, service_and_images }: DeploySpec): DeployService[] {
  if (services.length > 0) return services;
  return groupByService(
    service_and_images.map(({ service_name, service_module, image }) => ({
      service: service_name,
      module: service_module,
      image: image ?? "",
    })),
  );
}

/** Modules as the services that hold them, in the order of their first one. */
export function groupByService(
  modules: readonly { service: string; module: string; image: string }[],
): (DeployService & { modules: { service_module: string; image: string }[] })[] {
  const names = [...new Set(modules.map(({ service }) => service))];
  return names.map((service_name) => ({
    service_name,
    modules: modules
      .filter(({ service, module }) => service === service_name && module !== "")
      .map(({ module, image }) => ({ service_module: module, image })),
    ...{ update_config: undefined, variable_kvs: [], key_vals: [], value_merge_strategy: undefined },
  }));
}
