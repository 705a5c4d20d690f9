import type { RepositoryNotice } from "../../../workflows/definition/jobSpecNotice.ts";

/** Paths of the code hosts' own web pages below a repository; other hosts get no links. */
const pages: Readonly<Record<string, { commit: string; pullRequest: string }>> = {
  github: { commit: "commit", pullRequest: "pull" },
  gitlab: { commit: "-/commit", pullRequest: "-/merge_requests" },
  gitee: { commit: "commit", pullRequest: "pulls" },
};

/** The commit's page; empty when there is none. */
export function commitUrl(repository: RepositoryNotice): string {
  const below = repositoryPage(repository);
  if (below === undefined || repository.commitId === "") return "";
  return `${below.page}/${below.paths.commit}/${repository.commitId}`;
}

/** The page of a pull request; empty when there is none. */
export function pullRequestUrl(repository: RepositoryNotice, number: number): string {
  const below = repositoryPage(repository);
  if (below !== undefined) return `${below.page}/${below.paths.pullRequest}/${number}`;
  const isGerrit = repository.source === "gerrit" && repository.address !== "";
  return isGerrit ? `${withoutSlash(repository.address)}/${number}` : "";
}

/** The repository whose branch and commit represent a build: the one marked so, else the first. */
export function primaryRepository(repositories: readonly RepositoryNotice[]): RepositoryNotice | undefined {
  return repositories.find(({ isPrimary }) => isPrimary) ?? repositories[0];
}

function repositoryPage({ source, address, namespace, owner, name }: RepositoryNotice) {
  const paths = Object.hasOwn(pages, source) ? pages[source] : undefined;
  if (paths === undefined || address === "") return undefined;
  return { paths, page: `${withoutSlash(address)}/${namespace === "" ? owner : namespace}/${name}` };
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
