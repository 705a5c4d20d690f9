import { maskBody } from "./maskBody.ts";

const mask = "********";

/** What a start call says by fields that never hold a credential (contract W 2.4, 3): what runs, and of which revision. */
const openFields = new Set([
  ...["name", "type", "job_name", "job_type", "key", "service_name", "service_module", "testing_name", "scanning_name"],
  ...["registry", "target_registry_id", "env_name", "workload_type", "workload_name", "container_name", "image_name"],
  ...["source_tag", "target_tag", "value_merge_strategy", "codehost_name", "repo_namespace", "repo_owner", "repo_name"],
  ...["branch", "tag", "pr", "prs", "enable_commit", "commit_id", "remote_name", "checkout_path", "submodules"],
  ...["resource_name", "resource_kind", "resource_group", "resource_version"],
]);

/**
 * The body of a start call of a workflow for the operation log. Which values are credentials the definition alone knows, so
 * everything below `parameters` and `inputs` is masked but what their open fields hold.
 */
export function maskStart(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = ["parameters", "inputs"].filter((field) => field in body);
  return { ...body, ...Object.fromEntries(given.map((field) => [field, maskGiven(body[field], "")])) };
}

function maskGiven(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskGiven(one, field));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskGiven(inner, key)]));
  if (value === "" || value === null || typeof value === "boolean") return value;
  return openFields.has(field) ? maskBody(value) : mask;
}
