import type { WebRepository } from "../../rules/codeHosts/provider.ts";
import { findProvider } from "../../rules/codeHosts/providers.ts";
import type { RepositoryNotice } from "./jobSpecNotice.ts";

/** The commit's page; empty when there is none. */
export function commitUrl(repository: RepositoryNotice): string {
  const { commitId, source } = repository;
  const found = commitId === "" ? undefined : webRepository(repository);
  return (found && findProvider(source)?.pages?.commit?.(found, commitId)) ?? "";
}

/** The page of a pull request; empty when there is none. */
export function pullRequestUrl(repository: RepositoryNotice, number: number): string {
  const found = webRepository(repository);
  return (found && findProvider(repository.source)?.pages?.pullRequest(found, number)) ?? "";
}

/** The repository whose branch and commit represent a build: the one marked so, else the first. */
export function primaryRepository(repositories: readonly RepositoryNotice[]): RepositoryNotice | undefined {
  return repositories.find(({ isPrimary }) => isPrimary) ?? repositories[0];
}

function webRepository({ address, namespace, owner, name }: RepositoryNotice): WebRepository | undefined {
  if (address === "") return undefined;
  return { address: address.replace(/\/+$/, ""), path: `${namespace === "" ? owner : namespace}/${name}` };
}
