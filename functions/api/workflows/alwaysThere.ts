import { isRecord } from "../../../shared/manifest/kubeObject.ts";
import { jobKindOf } from "../../../shared/workflows/definition/jobKinds.ts";
import { filledTree, type Tree } from "../../../shared/workflows/definition/tree.ts";

/** A parameter with every key that readers of a detail count on, however it was sent. */
export function fullParam(param: Tree) {
  const empty = { description: "", type: "string", value: "", repo: null, default: "", is_credential: false };
  return filledTree({ name: String(param.name), ...empty }, param);
}

/** A job likewise. */
export function fullJob(job: Tree) {
  const spec: Tree = isRecord(job.spec) ? job.spec : {};
  const empty = { skipped: false, run_policy: "" as const, service_modules: [] };
  const full = filledTree({ name: String(job.name), type: String(job.type), ...empty }, job);
  return { ...full, spec: jobKindOf(job.type)?.filled?.(spec) ?? spec };
}
