import type { JobSpecNotice, RepositoryNotice } from "../../integrations/notify/rules/jobSpecNotice.ts";
import { plainText, type Tree, treesOf } from "../../manifest/tree.ts";

/** What messages say about a build, and about a script that may make an image likewise. */
export function buildNotice(spec: Tree, outputs: Readonly<Record<string, string>>): JobSpecNotice {
  return {
    kind: "build",
    repositories: treesOf(spec.repos).map(repositoryOf),
    image: plainText(spec.image) || (outputs.IMAGE ?? ""),
  };
}

function repositoryOf(repository: Tree): RepositoryNotice {
  const numbers = Array.isArray(repository.prs) ? repository.prs : [repository.pr];
  return {
    source: plainText(repository.source),
    address: plainText(repository.address),
    owner: plainText(repository.repo_owner),
    namespace: plainText(repository.repo_namespace),
    name: plainText(repository.repo_name),
    branch: plainText(repository.branch),
    pullRequests: numbers.filter((number): number is number => typeof number === "number" && number > 0),
    tag: plainText(repository.tag),
    authorName: plainText(repository.author_name),
    commitId: plainText(repository.commit_id),
    commitMessage: plainText(repository.commit_message),
    isPrimary: repository.is_primary === true,
  };
}
