import * as z from "zod";
import { withAliases } from "../../../base/common/withAliases.ts";
import { line, optionalText, workspacePath } from "./texts.ts";

/** What is taken from a repository (contract W 1.5). What counts, by priority: tag, commit, branch, pull requests. */
export interface RepositoryRevision {
  branch: string;
  tag: string;
  /** Merged one after another onto the branch. */
  pullRequests: readonly number[];
  /** Branches merged likewise. */
  mergeBranches: readonly string[];
  /** Whether `commitId` is checked out instead of the branch's head. */
  enableCommit: boolean;
  commitId: string;
}

/** A repository that a job clones, as builds, tests, scans and tasks store it. Credentials stay with the code host. */
export interface Repository extends RepositoryRevision {
  /** Record id of the code host, whose address and credentials are read when the job starts. */
  codeHostId: number;
  /** Type of the code host: `github`, `gitlab`, … */
  source: string;
  /** Organization or user; `namespace` is the full path of groups where the code host has such. */
  owner: string;
  namespace: string;
  name: string;
  remoteName: string;
  /** Below the workspace; empty: the repository's name. */
  checkoutPath: string;
  submodules: boolean;
  /** Not offered for change when a task is started. */
  hidden: boolean;
  /** Names the image tag (contract W 11.5); without one the first repository does. */
  isPrimary: boolean;
}

/** A repository as callers name it: by the alias of its code host. */
export type RepositoryInput = Omit<Repository, "codeHostId" | "source" | "owner"> & { codeHostName: string };

/** Repositories of one job. */
export const maxRepositories = 50;

const pullRequest = z.int("must be a whole number").min(0, "must be the number of a pull request");

const sent = z
  .object({
    codehost_name: line(64),
    repo_namespace: line(),
    repo_name: line(),
    branch: optionalText().default(""),
    tag: optionalText().default(""),
    pr: pullRequest.default(0),
    prs: z.array(pullRequest).max(100, "must have at most 100 entries").default([]),
    merge_branches: z.array(line()).max(100, "must have at most 100 entries").default([]),
    enable_commit: z.boolean("must be true or false").default(false),
    commit_id: optionalText(64).default(""),
    remote_name: optionalText(64).default("origin"),
    checkout_path: workspacePath.default(""),
    submodules: z.boolean("must be true or false").default(false),
    hidden: z.boolean("must be true or false").default(false),
    is_primary: z.boolean("must be true or false").default(false),
  })
  .superRefine(({ branch, tag, enable_commit, commit_id }, context) => {
    if (enable_commit && commit_id === "")
      context.addIssue({ code: "custom", path: ["commit_id"], message: "is required with enable_commit" });
    if (branch === "" && tag === "" && !enable_commit)
      context.addIssue({ code: "custom", path: ["branch"], message: "branch cannot be empty" });
  })
  .transform(
    (repo): RepositoryInput => ({
      codeHostName: repo.codehost_name,
      namespace: repo.repo_namespace,
      name: repo.repo_name,
      branch: repo.branch,
      tag: repo.tag,
      pullRequests: pullRequestsOf(repo),
      mergeBranches: repo.merge_branches,
      enableCommit: repo.enable_commit,
      commitId: repo.commit_id,
      remoteName: repo.remote_name === "" ? "origin" : repo.remote_name,
      checkoutPath: repo.checkout_path,
      submodules: repo.submodules,
      hidden: repo.hidden,
      isPrimary: repo.is_primary,
    }),
  );

/** RepoInfo of the specification with what the reference reads beside it (contract W 1.5, "Repo input"). */
export const repositoryInput = withAliases(sent, { repo_namespace: ["repo_owner"] });

export const repositoryInputs = z
  .array(repositoryInput)
  .max(maxRepositories, `must have at most ${maxRepositories} repositories`);

/** `prs`, or the single `pr` of older clients; 0 is none. */
export function pullRequestsOf({ pr, prs }: { pr?: number; prs?: readonly number[] }): number[] {
  const all = prs === undefined || prs.length === 0 ? [pr ?? 0] : prs;
  return [...new Set(all)].filter((number) => number > 0);
}
