import type { Registry, Resource } from "../api/resource.ts";

/** What a path under /api or /apis asks for. */
export interface Target {
  resource: Resource;
  /** "" for cluster-scoped resources and for lists over all namespaces. */
  namespace: string;
  /** The list of all namespaces of a namespaced resource. */
  everywhere: boolean;
  name?: string;
  subresource?: string;
}

/** Finds the resource of a path, or undefined when nothing is served there. */
export function routePath(path: string, registry: Registry): Target | undefined {
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  if (parts.at(-1) === "") parts.pop();
  const root = parts.shift();
  const group = root === "api" ? "" : root === "apis" ? parts.shift() : undefined;
  const version = parts.shift();
  if (group === undefined || !version || parts.length === 0) return undefined;
  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 2 && !isNamespaceSubresource(group, parts)) {
    namespace = parts[1] ?? "";
    parts.splice(0, 2);
  }
  const [plural, name, subresource, ...rest] = parts;
  const resource = plural ? registry.find(group, version, plural) : undefined;
  if (!resource || rest.length > 0 || name === "" || (namespace && !resource.namespaced)) return undefined;
  const everywhere = resource.namespaced && namespace === "";
  if (everywhere && name !== undefined) return undefined;
  return { resource, namespace, everywhere, ...(name ? { name } : {}), ...(subresource ? { subresource } : {}) };
}

function isNamespaceSubresource(group: string, parts: string[]): boolean {
  return group === "" && parts.length === 3 && (parts[2] === "status" || parts[2] === "finalize");
}
