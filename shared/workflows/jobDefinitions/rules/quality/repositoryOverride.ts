import type { Repository } from "../../../definition/script/repository.ts";

/** What a start call says of a configured repository: which one, and what is taken from it (contract W 12.2, 13.1). */
export interface RepositoryOverride {
  /** Record id of the code host; undefined: it is named by `source`. */
  codeHostId?: number;
  /** Type of the code host. */
  source?: string;
  /** Owner, or the full path of groups. */
  namespace: string;
  name: string;
  /** Empty: the configured one stays. */
  branch: string;
  pullRequests: readonly number[];
  /** Empty: the branch's head. */
  commitId: string;
}

export function isMeant(repository: Repository, { codeHostId, source, namespace, name }: RepositoryOverride): boolean {
  const isOnHost = codeHostId === undefined ? repository.source === source : repository.codeHostId === codeHostId;
  return isOnHost && repository.name === name && [repository.owner, repository.namespace].includes(namespace);
}

/** The configured repositories as a start call wants them; what it does not name stays, and unknown ones are ignored. */
export function withOverrides(
  configured: readonly Repository[],
  overrides: readonly RepositoryOverride[],
): Repository[] {
  return configured.map((repository) => {
    const found = overrides.findLast((override) => isMeant(repository, override));
    if (found === undefined) return repository;
    const { branch, pullRequests, commitId } = found;
    const revision = { pullRequests, enableCommit: commitId !== "", commitId, tag: "" };
    return { ...repository, ...revision, branch: branch || repository.branch };
  });
}
