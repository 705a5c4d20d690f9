import { createHash } from "node:crypto";
import { config } from "../../base/settings/config.ts";

/** Longest name of a namespace (RFC 1123 label, as Kubernetes has it). */
const longestName = 63;
const digestLength = 16;

/** Where tasks run that an earlier version planned, and what the namespaces of all projects' jobs begin with. */
export function jobsNamespace(): string {
  return config().SLIPWAY_JOBS_NAMESPACE;
}

/** Where the jobs of a project run, on whatever cluster (decisions 17.6). */
export function jobsNamespaceOf(projectKey: string): string {
  return namespaceOfProject(jobsNamespace(), projectKey);
}

/**
 * `<base>-<project key>`. One that would have 63 characters or more has exactly 63, and ends with a digest instead of the end of
 * the key: no other key has that name, because one that is written out has 62 characters at most.
 * @param base at most 40 characters
 */
export function namespaceOfProject(base: string, projectKey: string): string {
  const name = `${base}-${projectKey}`;
  if (name.length < longestName) return name;
  const digest = createHash("sha256").update(projectKey).digest("hex").slice(0, digestLength);
  return `${name.slice(0, longestName - digestLength - 1)}-${digest}`;
}
