import { ApiError, badRequest } from "../api/errors.ts";
import { equal, isDict } from "../model/object.ts";

/** Applies an RFC 6902 patch to a copy of the value. Throws 400 for a malformed patch, 422 when it does not fit. */
export function jsonPatch(value: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  let result = structuredClone(value);
  for (const operation of patch) {
    if (!isDict(operation) || typeof operation.path !== "string" || typeof operation.op !== "string") {
      throw badRequest("each operation of a JSON patch needs op and path");
    }
    result = applyOne(result, operation.op, operation.path, operation.from, operation.value);
  }
  return result;
}

function applyOne(root: unknown, op: string, path: string, from: unknown, value: unknown): unknown {
  switch (op) {
    case "add":
      return put(root, parts(path), structuredClone(value), true);
    case "replace":
      read(root, parts(path));
      return put(root, parts(path), structuredClone(value), false);
    case "remove":
      read(root, parts(path));
      return remove(root, parts(path));
    case "test":
      if (!equal(read(root, parts(path)), value)) throw misfit();
      return root;
    case "move":
    case "copy": {
      if (typeof from !== "string") throw badRequest(`${op} needs from`);
      const found = structuredClone(read(root, parts(from)));
      return put(op === "move" ? remove(root, parts(from)) : root, parts(path), found, true);
    }
    default:
      throw badRequest(`Unexpected kind: ${op}`);
  }
}

/** The API server does not say what did not fit. */
function misfit(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

function parts(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw badRequest(`invalid path ${JSON.stringify(path)}`);
  return path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function read(root: unknown, keys: string[]): unknown {
  let current = root;
  for (const key of keys) {
    const next = Array.isArray(current)
      ? current[indexOf(key, current.length)]
      : isDict(current)
        ? current[key]
        : undefined;
    if (next === undefined) throw misfit();
    current = next;
  }
  return current;
}

function indexOf(key: string, length: number): number {
  if (!/^(0|[1-9]\d*)$/.test(key) || Number(key) > length) throw misfit();
  return Number(key);
}

function put(root: unknown, keys: string[], value: unknown, insert: boolean): unknown {
  const last = keys.at(-1);
  if (last === undefined) return value;
  const parent = read(root, keys.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = last === "-" ? parent.length : indexOf(last, parent.length);
    parent.splice(index, insert ? 0 : 1, value);
  } else if (isDict(parent)) define(parent, last, value);
  else throw misfit();
  return root;
}

function remove(root: unknown, keys: string[]): unknown {
  const last = keys.at(-1);
  if (last === undefined) return null;
  const parent = read(root, keys.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length), 1);
  else if (isDict(parent)) delete parent[last];
  return root;
}

/** Sets an own property whatever its name, so that `__proto__` is data. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
