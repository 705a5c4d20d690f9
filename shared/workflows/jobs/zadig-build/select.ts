import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { listRegistries } from "../../../packaging/registries/store/registries.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { moduleInput } from "../../definition/specParts.ts";
import { listOf, text } from "../../definition/wireFields.ts";
import { repositoryInputs } from "../container/jobRepositories.ts";
import { variableInputs } from "../container/jobVariables.ts";
import { withDefinitionInputs } from "../container/withDefinitionInputs.ts";
import type { PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { findOption, requireBuild } from "./items.ts";
import { type BuildItem, kind as zadigBuild } from "./kind.ts";

/** What a start call says (contract W 3). `build_name` chooses among the builds of a module; absent: the first. */
const chosen = z.looseObject({
  ...moduleInput,
  build_name: text,
  repo_info: repositoryInputs,
  inputs: variableInputs,
});

const buildParameters = z.looseObject({ registry: text, service_list: listOf(chosen) });

/** Takes registry, modules, repositories and variables of a start call over (contract W 3). @throws ApiError 6160 */
export async function selectBuild(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
  scope: PlanScope,
): Promise<Record<string, unknown>> {
  const spec = readSpec(zadigBuild, job);
  const { registry, service_list } = readInputs(buildParameters, parameters, job);
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
