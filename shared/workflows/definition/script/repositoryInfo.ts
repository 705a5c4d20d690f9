import * as z from "zod";
import type { Repository } from "./repository.ts";

/** A repository in an answer, in the form in which it is sent. */
export const repositoryInfo = z
  .object({
    codehost_name: z.string(),
    repo_namespace: z.string(),
    repo_name: z.string(),
    branch: z.string(),
    tag: z.string(),
    prs: z.array(z.int()),
    merge_branches: z.array(z.string()),
    enable_commit: z.boolean(),
    commit_id: z.string(),
    remote_name: z.string(),
    checkout_path: z.string(),
    submodules: z.boolean(),
    hidden: z.boolean(),
    is_primary: z.boolean(),
  })
  .meta({ id: "RepositoryInfo" });

/** Writes what `repositoryInput` reads. */
export function showRepositoryInfo(repository: Repository, codeHostName: string): z.input<typeof repositoryInfo> {
  return {
    codehost_name: codeHostName,
    repo_namespace: repository.namespace,
    repo_name: repository.name,
    branch: repository.branch,
    tag: repository.tag,
    prs: [...repository.pullRequests],
    merge_branches: [...repository.mergeBranches],
    enable_commit: repository.enableCommit,
    commit_id: repository.commitId,
    remote_name: repository.remoteName,
    checkout_path: repository.checkoutPath,
    submodules: repository.submodules,
    hidden: repository.hidden,
    is_primary: repository.isPrimary,
  };
}
