import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { badRequest, type Problem } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { table } from "../../../shared/base/store/table.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { environmentsOnCluster } from "../../../shared/environments/store/environments.ts";
import { jobsNamespace } from "../../../shared/kube/clusters/jobsNamespace.ts";
import { listClusters } from "../../../shared/kube/clusters/store/clusters.ts";
import { boundaryKinds, parseClusterKinds } from "../../../shared/kube/scopeRules.ts";
import {
  type Boundary,
  covers,
  everything,
  namespacePatternProblem,
  overlap,
} from "../../../shared/projects/rules/boundary.ts";
import {
  findNamedNamespaces,
  type NamedNamespaces,
  saveBoundaryWrites,
} from "../../../shared/projects/store/boundaries.ts";
import { projectMustStand, requireProject } from "../../../shared/projects/store/projects.ts";

export interface BoundaryWarning {
  code: "every_namespace" | "every_kind";
  message: string;
  line: 0;
}

const maxTries = 5;

/**
 * Replaces a project's boundary (docs/contract/decisions 17.2).
 * @returns what was taken although it is wide
 * @throws ApiError 404 unknown project; 400 naming each entry that is wrong, overlaps one of another project, or means a
 * namespace in which only another project has environments
 */
export async function saveBoundary(projectKey: string, boundary: Boundary): Promise<BoundaryWarning[]> {
  await requireProject(projectKey);
  const wrong = [...kindProblems(boundary), ...patternProblems(boundary)];
  if (wrong.length > 0) throw badRequest(wrong);
  for (let tries = 1; ; tries++) {
    const seen = await findNamedNamespaces();
    const taken = [...overlaps(projectKey, boundary, seen), ...(await inUse(projectKey, boundary))];
    if (taken.length > 0) throw badRequest(taken);
    try {
      await table().write(...saveBoundaryWrites(projectKey, boundary, seen), projectMustStand(projectKey));
      return warningsOf(boundary);
    } catch (error) {
      if (!conflictedOn(error, "boundary namespaces") || tries === maxTries) throw error;
    }
  }
}

function problem(field: string, at: number, text: string): Problem {
  return { in: "body", path: `${field}[${at}]`, problem: text };
}

function kindProblems({ clusterScopedKinds }: Boundary): Problem[] {
  const known = [...new Set([...parseClusterKinds(config().SLIPWAY_CLUSTER_SCOPED_KINDS), ...boundaryKinds])];
  return clusterScopedKinds.flatMap((kind, at) => {
    if (kind === everything || known.includes(kind)) return [];
    const text = `"${kind}" is no cluster-scoped kind that a boundary can allow; these are ${known.join(", ")}`;
    return [problem("cluster_scoped_kinds", at, text)];
  });
}

function patternProblems({ namespaces }: Boundary): Problem[] {
  return namespaces.flatMap((pattern, at) => {
    const twice = namespaces.indexOf(pattern) < at ? `"${pattern}" is named twice` : undefined;
    const text = namespacePatternProblem(pattern, jobsNamespace()) ?? twice;
    return text === undefined ? [] : [problem("namespaces", at, text)];
  });
}

function overlaps(projectKey: string, { namespaces }: Boundary, { byProject }: NamedNamespaces): Problem[] {
  return namespaces.flatMap((pattern, at) =>
    [...byProject].flatMap(([other, patterns]) => {
      const theirs = other === projectKey ? undefined : patterns.find((one) => overlap(pattern, one));
      if (theirs === undefined) return [];
      return [problem("namespaces", at, `"${pattern}" overlaps "${theirs}" in the boundary of project ${other}`)];
    }),
  );
}

/** Entries that mean a namespace in which only other projects have environments. */
async function inUse(projectKey: string, { namespaces }: Boundary): Promise<Problem[]> {
  if (namespaces.every((pattern) => pattern === everything)) return [];
  const onClusters = await mapBounded(await listClusters(), 8, ({ clusterId }) => environmentsOnCluster(clusterId));
  const others = onClusters.flatMap((environments) => {
    const own = new Set(environments.filter((one) => one.projectKey === projectKey).map((one) => one.namespace));
    return environments.filter(({ namespace }) => !own.has(namespace));
  });
  return namespaces.flatMap((pattern, at) => {
    const found = pattern === everything ? undefined : others.find(({ namespace }) => covers(pattern, namespace));
    if (found === undefined) return [];
    const text = `"${pattern}" covers namespace ${found.namespace}, which belongs to project ${found.projectKey}`;
    return [problem("namespaces", at, text)];
  });
}

function warningsOf({ namespaces, clusterScopedKinds }: Boundary): BoundaryWarning[] {
  return [
    ...(namespaces.includes(everything)
      ? [warning("every_namespace", "the project may use every namespace that belongs to no other project")]
      : []),
    ...(clusterScopedKinds.includes(everything)
      ? [warning("every_kind", "the project may deploy every cluster-scoped kind that the installation allows")]
      : []),
  ];
}

const warning = (code: BoundaryWarning["code"], message: string): BoundaryWarning => ({ code, message, line: 0 });
