import { ApiError } from "../../../errors/apiError.ts";
import { listRegistries } from "../../../registries/store/registries.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { readPart, readSpec } from "../container/readSpec.ts";
import { withDefinitionInputs } from "../container/withDefinitionInputs.ts";
import type { PlanScope } from "../planner.ts";
import { findOption, requireBuild } from "./items.ts";
import { type BuildItem, buildParameters, buildSpec } from "./spec.ts";

/** Takes registry, modules, repositories and variables of a start call over (contract W 3). @throws ApiError 6160 */
export async function selectBuild(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
  scope: PlanScope,
): Promise<Record<string, unknown>> {
  const spec = readSpec(buildSpec, job);
  const { registry, service_list } = readPart(buildParameters, parameters, `inputs of job ${job.name}`);
  const docker_registry_id = registry ? await registryNamed(registry) : spec.docker_registry_id;
  if (service_list.length === 0) return { ...job.spec, docker_registry_id };
  const chosen: BuildItem[] = [];
  for (const { repo_info, inputs, ...module } of service_list) {
    const option = await findOption(spec, module, scope);
    if (option === undefined) continue;
    const { script } = await requireBuild(option, scope);
    chosen.push({ ...option, ...(await withDefinitionInputs(option, script, { repo_info, inputs })) });
  }
  return { ...job.spec, docker_registry_id, service_and_builds: chosen };
}

/** `<address>/<namespace>`, however many slashes are at its end. */
async function registryNamed(name: string): Promise<string> {
  const stripped = (text: string) => text.replace(/\/+$/, "");
  const { registries } = await listRegistries();
  const found = registries.find(
    ({ address, namespace }) => stripped(`${stripped(address)}/${namespace}`) === stripped(name),
  );
  if (found === undefined)
    throw new ApiError(
      6160,
      `didn't find the specified image registry ${name}; it is <address>/<namespace> of a registry`,
    );
  return found.registryId;
}
