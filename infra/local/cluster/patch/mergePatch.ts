import { type Dict, isDict } from "../model/object.ts";

/** RFC 7386: objects merge, null removes, everything else replaces. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isDict(patch)) return patch;
  const result: Dict = isDict(value) ? { ...value } : {};
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete result[key];
    else result[key] = mergePatch(result[key], patch[key]);
  }
  return result;
}
