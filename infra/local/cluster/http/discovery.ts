import { groupVersion, type Registry, type Resource } from "../api/resource.ts";
import type { Dict } from "../model/object.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const version = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.0+slipway-sandbox",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "",
  compiler: "node",
  platform: "linux/amd64",
};

/** The discovery document of a path, or undefined when the path is none. `aggregated` is the one-call form. */
export function discovery(path: string, registry: Registry, aggregated: boolean): unknown {
  if (path === "/version") return version;
  if (path === "/api")
    return aggregated
      ? aggregate(registry, true)
      : { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  if (path === "/apis") {
    if (aggregated) return aggregate(registry, false);
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: groupsOf(registry).map((group) => groupDocument(group, registry)),
    };
  }
  const [root, first, second, ...rest] = path.split("/").slice(1);
  if (rest.length > 0 || !first) return undefined;
  if (root === "api" && second === undefined) return resourceList("", first, registry);
  if (root !== "apis") return undefined;
  if (second !== undefined) return resourceList(first, second, registry);
  return registry.hasGroup(first)
    ? { kind: "APIGroup", apiVersion: "v1", ...groupDocument(first, registry) }
    : undefined;
}

function groupsOf(registry: Registry): string[] {
  return [...new Set(registry.all().map((resource) => resource.group))].filter((group) => group !== "");
}

function versionsOf(group: string, registry: Registry): string[] {
  return [...new Set(registry.all().flatMap((r) => (r.group === group ? [r.version] : [])))].sort(byMaturity);
}

/** v1 before v1beta1 before v1alpha1, newer before older. */
function byMaturity(a: string, b: string): number {
  const rank = (text: string) => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
    if (!match) return 0;
    const stage = match[2] === "alpha" ? 1 : match[2] === "beta" ? 2 : 3;
    return stage * 1e6 + Number(match[1]) * 1e3 + Number(match[3] ?? 0);
  };
  return rank(b) - rank(a);
}

function groupDocument(group: string, registry: Registry): Dict {
  const versions = versionsOf(group, registry).map((v) => ({ groupVersion: `${group}/${v}`, version: v }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function resourceList(group: string, v: string, registry: Registry): unknown {
  const resources = registry.all().filter((resource) => resource.group === group && resource.version === v);
  if (resources.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group ? `${group}/${v}` : v,
    resources: resources.flatMap(legacyEntries),
  };
}

function legacyEntries(resource: Resource): Dict[] {
  const entry = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
  };
  return [
    entry,
    ...subresourcesOf(resource).map((sub) => ({
      name: `${resource.plural}/${sub.name}`,
      singularName: "",
      namespaced: resource.namespaced,
      kind: sub.kind,
      ...(sub.group ? { group: sub.group, version: sub.version } : {}),
      verbs: sub.verbs,
    })),
  ];
}

interface Subresource {
  name: string;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
}

function subresourcesOf(resource: Resource): Subresource[] {
  const result: Subresource[] = [];
  const write = ["get", "patch", "update"];
  if (resource.scale) result.push({ name: "scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: write });
  if (resource.status) result.push({ name: "status", kind: resource.kind, verbs: write });
  if (resource.key === "pods") {
    result.push({ name: "log", kind: "Pod", verbs: ["get"] });
    result.push({ name: "eviction", kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] });
  }
  return result;
}

function aggregate(registry: Registry, core: boolean): Dict {
  const groups = core ? [""] : groupsOf(registry);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => ({
      metadata: group ? { name: group } : {},
      versions: versionsOf(group, registry).map((v) => ({
        version: v,
        freshness: "Current",
        resources: registry
          .all()
          .filter((resource) => resource.group === group && resource.version === v)
          .map(aggregatedEntry),
      })),
    })),
  };
}

function aggregatedEntry(resource: Resource): Dict {
  const subresources = subresourcesOf(resource).map((sub) => ({
    subresource: sub.name,
    responseKind: { group: sub.group ?? resource.group, version: sub.version ?? resource.version, kind: sub.kind },
    verbs: sub.verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group: resource.group, version: resource.version, kind: resource.kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** Where the version-and-group list of OpenAPI v3 points. */
export function openApiPath(resource: { group: string; version: string }): string {
  return resource.group ? `apis/${groupVersion(resource)}` : `api/${resource.version}`;
}
