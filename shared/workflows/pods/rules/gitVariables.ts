import type { GitStep, JobRepository } from "./containerJob.ts";
import { ContainerJobInvalid } from "./containerJobInvalid.ts";
import { absolutePath, isWithin, workspacePath } from "./paths.ts";

/** What the clone script reads of the repositories of a step; credentials apart. */
export interface GitVariables {
  plain: Record<string, string>;
  secret: Record<string, string>;
  /** Private keys by the name of the file that holds them. */
  keyFiles: Record<string, string>;
}

/** @throws ContainerJobInvalid naming the repository and what of it cannot be cloned */
export function gitVariables({ repositories }: GitStep): GitVariables {
  const result: GitVariables = { plain: { REPO_COUNT: String(repositories.length) }, secret: {}, keyFiles: {} };
  for (const [at, repository] of repositories.entries()) {
    const plain = plainOf(repository);
    for (const [field, value] of Object.entries(plain)) result.plain[`REPO_${at}_${field}`] = value;
    const { access } = repository;
    if (access.kind === "password") {
      if (/[\r\n\0]/.test(access.username + access.password)) refuse(repository, "its credentials hold a line break");
      result.plain[`REPO_${at}_USERNAME`] = access.username;
      result.secret[`REPO_${at}_PASSWORD`] = access.password;
    }
    if (access.kind === "ssh") result.keyFiles[`ssh-${at}`] = `${access.privateKey.trimEnd()}\n`;
  }
  return result;
}

function plainOf(repository: JobRepository): Record<string, string> {
  const { address, access, remoteName, tag, commitId, branch, mergeBranches, pullRequests } = repository;
  const folder = absolutePath(repository.checkoutPath);
  if (!isWithin(folder, workspacePath))
    refuse(repository, `checkout_path ${repository.checkoutPath} leaves the workspace`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(remoteName))
    refuse(repository, `remote_name ${remoteName} is not a valid name of a remote`);
  if (commitId !== "" && !/^[0-9a-f]{4,64}$/i.test(commitId)) refuse(repository, `commit_id ${commitId} is no commit`);
  for (const name of [tag, branch, ...mergeBranches]) {
    if (name !== "" && !isRefName(name))
      refuse(repository, `${JSON.stringify(name)} is not a valid name of a branch or tag`);
  }
  if (tag === "" && commitId === "" && branch === "" && pullRequests.length === 0)
    refuse(repository, "neither tag, commit, branch nor pull request is given");
  // Pull requests and branches are merged onto a branch, not onto a tag or commit.
  const merges = tag === "" && commitId === "";
  return {
    ADDRESS: address,
    ORIGIN: originOf(repository),
    ACCESS: access.kind,
    FOLDER: folder,
    REMOTE: remoteName,
    TAG: tag,
    COMMIT: commitId,
    BRANCH: branch,
    MERGES: merges ? mergeBranches.join(" ") : "",
    PULLS: merges ? pullRequests.join(" ") : "",
    PULL_REFS: repository.pullRefs,
    SUBMODULES: String(repository.submodules),
    NO_VERIFY: String(repository.disableSsl),
    COMMIT_VARIABLE: /^[A-Za-z_]\w*$/.test(repository.commitVariable) ? repository.commitVariable : "",
  };
}

/** Scheme, host and port, for which alone credentials are given; empty for SSH. */
function originOf(repository: JobRepository): string {
  const { address } = repository;
  if (/^(?:ssh:\/\/)?[\w.-]+@[\w.-]+[:/]/.test(address) || /^ssh:\/\/[\w.-]+/.test(address)) return "";
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) refuse(repository, "its address is neither http, https nor ssh");
  if (url.username !== "" || url.password !== "") refuse(repository, "its address holds credentials");
  return url.origin;
}

/** What `git check-ref-format` takes. */
function isRefName(name: string): boolean {
  return !/^[-/]|\.\.|\/\/|@\{|[\0-\x20~^:?*[\\\x7f]|(?:\.lock|[/.])$|(?:^|\/)\./.test(name);
}

function refuse({ address }: JobRepository, why: string): never {
  throw new ContainerJobInvalid(`repository ${URL.parse(address)?.pathname.replace(/^\//, "") || address}: ${why}`);
}
