import type * as z from "zod";
import type { ModuleOfJob } from "../modulesOfJob.ts";
import type { DeployService, kind as zadigDeploy } from "./kind.ts";

export type DeploySpec = z.output<typeof zadigDeploy.schema>;

/** Of a service of which only the name is known. */
export const unconfigured = {
  ...{ update_config: undefined, value_merge_strategy: undefined },
  ...{ variable_kvs: [], key_vals: [], override_kvs: [] },
};

/** Services that are written out in the spec, in the newer form. */
export function listedServices({ services, service_and_images }: DeploySpec): DeployService[] {
  if (services.length > 0) return services;
  return groupByService(service_and_images.map(({ image, ...module }) => ({ ...module, image: image ?? "" })));
}

/** Modules as the services that hold them, in the order of their first one. */
export function groupByService(
  modules: readonly ModuleOfJob[],
): (DeployService & { modules: { service_module: string; image: string }[] })[] {
  const names = [...new Set(modules.map(({ service_name }) => service_name))];
  return names.map((service_name) => ({
    service_name,
    modules: modules
      .filter((one) => one.service_name === service_name && one.service_module !== "")
      .map(({ service_module, image }) => ({ service_module, image })),
    ...unconfigured,
  }));
}
