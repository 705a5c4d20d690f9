import type { WorkflowJob } from "../../definition/definition.ts";
import { readSpec } from "../readSpec.ts";
import { type DeployService, deployInput, deploySpec, groupByService, listedServices } from "./spec.ts";

/**
 * The spec with what a start call chose (contract W 3): the services replace the selection, what else is configured of
 * them stays; a fixed environment stays, and so does the configured one when the call names none.
 */
export async function selectServices(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const spec = readSpec(deploySpec, job.spec, `spec of job ${job.name}`);
  const { env_name, service_list } = readSpec(deployInput, parameters, `inputs of job ${job.name}`);
  const configured = new Map(listedServices(spec).map((service) => [service.service_name, service]));
  const chosen = groupByService(
    service_list.map(({ service_name, service_module, image_name }) => ({
      service: service_name,
      module: service_module ?? "",
      image: image_name ?? "",
    })),
  ).map((service): DeployService => {
    const strategy = service_list.find(({ service_name }) => service_name === service.service_name);
    return {
      ...service,
      ...configured.get(service.service_name),
      modules: service.modules,
      ...(strategy?.value_merge_strategy && { value_merge_strategy: strategy.value_merge_strategy }),
    };
  });
  const isFixed = spec.env_source === "fixed";
  // A fixed selection stays when the call lists nothing; otherwise an empty list takes everything of the other job.
  const keeps = service_list.length === 0 && spec.source !== "fromjob";
  return {
    ...job.spec,
    env: isFixed || !env_name ? spec.env : env_name,
    ...(!keeps && { services: chosen, service_and_images: [] }),
  };
}
