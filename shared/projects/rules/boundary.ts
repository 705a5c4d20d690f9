import type { PodSecurityLevel } from "../../kube/podSecurity/podViolations.ts";
import { systemNamespaces } from "../../kube/rules/systemNamespaces.ts";

/** What a project may use and deploy on clusters (docs/contract/decisions 17.2). */
export interface Boundary {
  /** Names of namespaces, and `prefix-*` for all that begin so; `*` for every one that belongs to no other project. */
  namespaces: readonly string[];
  /** Kinds, `*` for all that the installation allows. */
  clusterScopedKinds: readonly string[];
  podSecurity: PodSecurityLevel;
  /** Whether jobs may run privileged, or with the container engine of their node. */
  privilegedJobs: boolean;
}

/** Of a project whose boundary was not set. */
export const defaultBoundary: Boundary = {
  namespaces: [],
  clusterScopedKinds: [],
  podSecurity: "baseline",
  privilegedJobs: false,
};

export const everything = "*";

const namespaceForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const patternForm = /^[a-z0-9](?:[a-z0-9-]{0,60})?-\*$/;

/**
 * Why a boundary may not name this namespace or pattern; undefined when it may.
 * @param jobsNamespace those of jobs begin so
 */
export function namespacePatternProblem(pattern: string, jobsNamespace: string): string | undefined {
  if (pattern === everything) return undefined;
  if (!namespaceForm.test(pattern) && !patternForm.test(pattern))
    return `"${pattern}" must be the name of a namespace, or end with -* (such as team-a-*) for all that begin so`;
  const system = systemNamespaces.find((name) => covers(pattern, name));
  if (system !== undefined) return `"${pattern}" covers ${system}, which belongs to Kubernetes`;
  if (covers(pattern, jobsNamespace) || overlap(pattern, `${jobsNamespace}-*`))
    return `"${pattern}" covers namespaces of the platform's jobs (${jobsNamespace})`;
  return undefined;
}

/** Whether a boundary's entry means the namespace. */
export function covers(pattern: string, namespace: string): boolean {
  return pattern === everything || pattern === namespace || (isPrefix(pattern) && namespace.startsWith(stem(pattern)));
}

/** Whether two entries mean a namespace both. `*` gives way to all others. */
export function overlap(a: string, b: string): boolean {
  if (a === everything || b === everything) return false;
  if (isPrefix(a) && isPrefix(b)) return stem(a).startsWith(stem(b)) || stem(b).startsWith(stem(a));
  return covers(a, b) || covers(b, a);
}

const isPrefix = (pattern: string): boolean => pattern.endsWith("-*");
const stem = (pattern: string): string => pattern.slice(0, -1);

/** The other project whose boundary names the namespace; `*` names none for others. */
export function projectNaming(
  namespace: string,
  byProject: ReadonlyMap<string, readonly string[]>,
  except: string,
): string | undefined {
  for (const [projectKey, patterns] of byProject)
    if (projectKey !== except && patterns.some((one) => one !== everything && covers(one, namespace)))
      return projectKey;
  return undefined;
}
