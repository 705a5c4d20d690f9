import { mustBeFreeOr, mustHaveVersion } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { named, overwrite, remove, update, type Write } from "../../base/store/writes.ts";
import type { Boundary } from "../rules/boundary.ts";

/** What the project's boundary says; undefined until a system administrator sets one. Costs one read unit. */
export async function findBoundary(
  projectKey: string,
  options: { consistent?: boolean } = {},
): Promise<Boundary | undefined> {
  const stored = await table().get<Boundary>(keys.projectBoundary(projectKey), options);
  if (stored === undefined) return undefined;
  const { namespaces, clusterScopedKinds, podSecurity, privilegedJobs } = stored;
  return { namespaces, clusterScopedKinds, podSecurity, privilegedJobs };
}

/** The namespaces that boundaries name, by project, as they were read at a version; 0 while there are none. */
export interface NamedNamespaces {
  version: number;
  byProject: ReadonlyMap<string, readonly string[]>;
}

const prefix = "namespaces#";

export async function findNamedNamespaces(): Promise<NamedNamespaces> {
  const item: Item<Record<string, unknown>> | undefined = await table().get(keys.boundaryNamespaces());
  const named = Object.entries(item ?? {}).flatMap(([name, patterns]): [string, string[]][] =>
    name.startsWith(prefix) && Array.isArray(patterns) ? [[name.slice(prefix.length), patterns]] : [],
  );
  return { version: item?.version ?? 0, byProject: new Map(named) };
}

/** Replaces a boundary as a whole. Loses "boundary namespaces" when one was saved since `seen` was read. */
export function saveBoundaryWrites(projectKey: string, boundary: Boundary, seen: NamedNamespaces): Write[] {
  return [
    overwrite({ ...keys.projectBoundary(projectKey), type: "project-boundary", ...boundary }),
    named(
      "boundary namespaces",
      update(
        keys.boundaryNamespaces(),
        { set: { type: "boundary-namespaces", [prefix + projectKey]: boundary.namespaces } },
        mustBeFreeOr(mustHaveVersion(seen.version)),
      ),
    ),
  ];
}

export function removeBoundaryWrites(projectKey: string): Write[] {
  return [
    remove(keys.projectBoundary(projectKey)),
    update(keys.boundaryNamespaces(), { set: { type: "boundary-namespaces" }, unset: [prefix + projectKey] }),
  ];
}
