import { ApiError } from "../../../base/errors/apiError.ts";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import type { WorkflowDefinition, WorkflowParam } from "../../definition/definition.ts";

/** One workflow parameter of the start call (contract W 2.4). */
export interface ParamInput {
  name: string;
  value: string;
  repo?: { codehostName: string; namespace: string; name: string; branch: string; prs: number[] };
}

/**
 * The definition with the parameters of the start call; the definition's type of a parameter decides what is taken
 * (contract W 2.4 step 5).
 * @throws ApiError 6160 for an unknown name, a value that is no choice, or another code host
 */
export async function applyParams(
  definition: WorkflowDefinition,
  inputs: readonly ParamInput[],
): Promise<WorkflowDefinition> {
  const params = [...definition.params];
  for (const input of inputs) {
    const at = params.findIndex(({ name }) => name === input.name);
    const param = params[at];
    if (param === undefined) throw new ApiError(6160, `param ${input.name} not found in workflow`);
    params[at] = await withInput(param, input);
  }
  return { ...definition, params };
}

async function withInput(param: WorkflowParam, { value, repo }: ParamInput): Promise<WorkflowParam> {
  switch (param.type) {
    case "string":
    case "text":
    case "image":
      return { ...param, value };
    case "choice":
      requireChoice(param, value);
      return { ...param, value };
    case "multi-select": {
      const chosen = value === "" ? [] : value.split(",");
      for (const one of chosen) requireChoice(param, one);
      return { ...param, value, choice_value: chosen };
    }
    case "repo":
      return repo === undefined ? param : withRepository(param, repo);
    default:
      return param;
  }
}

function requireChoice({ name, choice_option, is_credential }: WorkflowParam, value: string): void {
  if (choice_option?.includes(value) === true) return;
  if (is_credential === true) throw new ApiError(6160, `invalid choice value for param ${name}, which is a credential`);
  const options = (choice_option ?? []).join(", ");
  throw new ApiError(6160, `invalid choice value ${value} for param ${name}; it must be one of: ${options}`);
}

/** Branch and pull requests, where the repository is the configured one; another one is ignored. */
async function withRepository(param: WorkflowParam, given: NonNullable<ParamInput["repo"]>): Promise<WorkflowParam> {
  const host = await codeHosts.findByName(given.codehostName);
  if (host === undefined) throw new ApiError(6160, `failed to find code host with name:${given.codehostName}`);
  const { codehost_id, repo_namespace, repo_owner, repo_name } = param.repo ?? {};
  if (codehost_id !== undefined && String(codehost_id) !== host.id)
    throw new ApiError(6160, `param ${param.name}: its repository is not on code host ${given.codehostName}`);
  const isConfigured = (repo_namespace || repo_owner) === given.namespace && repo_name === given.name;
  if (!isConfigured) return param;
  return { ...param, repo: { ...param.repo, branch: given.branch, prs: given.prs } };
}
