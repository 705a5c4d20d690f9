import { filledTree, type Tree } from "../../../shared/manifest/tree.ts";

/** A parameter with every key that readers of workflows and of tasks count on, however it was sent. */
export function fullParam(param: Tree) {
  const empty = { description: "", type: "string", value: "", repo: null, default: "", is_credential: false };
  return filledTree({ name: String(param.name), ...empty }, param);
}
