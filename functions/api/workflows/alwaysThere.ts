import { isRecord } from "../../../shared/manifest/kubeObject.ts";
import { type Tree, treesOf } from "../../../shared/workflows/definition/tree.ts";

/** A parameter with every key that readers of a detail count on (specification 2.7), however it was sent. */
export function fullParam(param: Tree) {
  const empty = { description: "", type: "string", value: "", repo: null, default: "", is_credential: false };
  return filled({ name: String(param.name), ...empty }, param);
}

/** A job likewise. */
export function fullJob(job: Tree) {
  const spec: Tree = isRecord(job.spec) ? job.spec : {};
  const empty = { skipped: false, run_policy: "" as const, service_modules: [] };
  const shown = { spec: job.type === "zadig-build" ? fullBuildSpec(spec) : spec };
  return { ...filled({ name: String(job.name), type: String(job.type), ...empty }, job), ...shown };
}

function fullBuildSpec(spec: Tree): Tree {
  const lists = ["service_and_builds", "default_service_and_builds", "service_and_builds_options"];
  const items = lists.map((list) => [list, treesOf(spec[list]).map(fullBuild)]);
  return { docker_registry_id: "", ...spec, ...Object.fromEntries(items) };
}

function fullBuild(item: Tree): Tree {
  const image_name = item.service_module ?? "";
  return filled({ build_name: "", image: "", image_name, key_vals: [], repos: [], share_storage_info: null }, item);
}

/** What was sent stays; null stands for what is empty. */
function filled<T extends Tree>(empty: T, sent: Tree): T {
  const given = Object.entries(sent).filter(([field, value]) => value !== null || !Object.hasOwn(empty, field));
  return { ...empty, ...Object.fromEntries(given) };
}
