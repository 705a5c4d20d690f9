import * as z from "zod";
import type { WorkflowJob } from "../../definition/definition.ts";
import { moduleInput } from "../../definition/specParts.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { type DeployService, mergeStrategy, kind as zadigDeploy } from "./kind.ts";
import { groupByService, listedServices } from "./services.ts";

/** Parameters of a start call (contract W 3): one entry for each module. */
const deployInput = z.looseObject({
  env_name: text,
  service_list: listOf(
    z.looseObject({
      ...moduleInput,
      service_name: filledText,
      ...{ image_name: text, value_merge_strategy: mergeStrategy },
    }),
  ),
});

/**
 * The spec with what a start call chose (contract W 3): the services replace the selection, what else is configured of
 * them stays; a fixed environment stays, and so does the configured one when the call names none.
 */
export async function selectServices(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const spec = readSpec(zadigDeploy, job);
  const { env_name, service_list } = readInputs(deployInput, parameters, job);
  const configured = new Map(listedServices(spec).map((service) => [service.service_name, service]));
  const chosen = groupByService(
    service_list.map(({ image_name, ...module }) => ({ ...module, image: image_name ?? "" })),
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
