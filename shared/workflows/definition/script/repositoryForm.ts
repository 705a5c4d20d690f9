import * as z from "zod";
import { flag, text, texts, whole } from "../wireFields.ts";
import { pullRequestsOf, type Repository } from "./repository.ts";

/** The full form of a repository on the wire (contract W 1.5). */
export const repositoryFields = {
  codehost_id: whole,
  source: text,
  repo_owner: text,
  repo_namespace: text,
  repo_name: text,
  remote_name: text,
  branch: text,
  tag: text,
  pr: whole,
  prs: z.array(z.int("must be the number of a pull request"), "must be a list").nullish(),
  merge_branches: texts,
  enable_commit: flag,
  commit_id: text,
  checkout_path: text,
  submodules: flag,
  hidden: flag,
  is_primary: flag,
};

/** The same as it is used; what else a workflow stores of it is not read. */
export const repositoryForm = z.object(repositoryFields).transform(
  (form): Repository => ({
    codeHostId: form.codehost_id ?? 0,
    source: form.source ?? "",
    owner: form.repo_owner || form.repo_namespace || "",
    namespace: form.repo_namespace || form.repo_owner || "",
    name: form.repo_name ?? "",
    remoteName: form.remote_name || "origin",
    branch: form.branch ?? "",
    tag: form.tag ?? "",
    pullRequests: pullRequestsOf({ pr: form.pr ?? 0, prs: form.prs ?? [] }),
    mergeBranches: form.merge_branches ?? [],
    enableCommit: form.enable_commit ?? false,
    commitId: form.commit_id ?? "",
    checkoutPath: form.checkout_path ?? "",
    submodules: form.submodules ?? false,
    hidden: form.hidden ?? false,
    isPrimary: form.is_primary ?? false,
  }),
);

/** A repository in an answer, in the full form; the keys of credentials are there, and empty. */
export const shownRepository = z
  .object({
    source: z.string(),
    repo_owner: z.string(),
    repo_namespace: z.string(),
    repo_name: z.string(),
    remote_name: z.string(),
    branch: z.string(),
    tag: z.string(),
    pr: z.int(),
    prs: z.array(z.int()),
    merge_branches: z.array(z.string()),
    enable_commit: z.boolean(),
    commit_id: z.string(),
    checkout_path: z.string(),
    submodules: z.boolean(),
    hidden: z.boolean(),
    is_primary: z.boolean(),
    codehost_id: z.int(),
    oauth_token: z.literal(""),
  })
  .meta({ id: "Repository" });

/** Writes what `repositoryForm` reads. */
export function showRepository(repository: Repository): z.input<typeof shownRepository> {
  return {
    source: repository.source,
    repo_owner: repository.owner,
    repo_namespace: repository.namespace,
    repo_name: repository.name,
    remote_name: repository.remoteName,
    branch: repository.branch,
    tag: repository.tag,
    pr: repository.pullRequests.length === 1 ? (repository.pullRequests[0] ?? 0) : 0,
    prs: [...repository.pullRequests],
    merge_branches: [...repository.mergeBranches],
    enable_commit: repository.enableCommit,
    commit_id: repository.commitId,
    checkout_path: repository.checkoutPath,
    submodules: repository.submodules,
    hidden: repository.hidden,
    is_primary: repository.isPrimary,
    codehost_id: repository.codeHostId,
    oauth_token: "",
  };
}
