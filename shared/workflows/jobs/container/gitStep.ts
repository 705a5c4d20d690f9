import { unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import { codeHostProviders } from "../../../integrations/rules/codeHosts/providers.ts";
import { type CodeHost, codeHosts } from "../../../integrations/store/codeHosts.ts";
import { findIntegrationSecret } from "../../../integrations/store/findIntegrationSecret.ts";
import type { Repository } from "../../definition/script/repository.ts";
import type { GitAccess, GitStep, JobRepository } from "../../pods/rules/containerJob.ts";
import { commitVariable } from "../../pods/rules/jobVariables.ts";
import { repositoryAddress } from "./repositoryAddress.ts";

/**
 * Clones the repositories with the credentials of their code hosts, which leave the table here and nowhere else.
 * @throws EnvironmentProblem naming a code host that is gone
 */
export async function gitStep(repositories: readonly Repository[]): Promise<GitStep[]> {
  if (repositories.length === 0) return [];
  return [{ kind: "git", name: "clone", repositories: await Promise.all(repositories.map(cloned)) }];
}

async function cloned(repository: Repository): Promise<JobRepository> {
  const { codeHostId, name, namespace, enableCommit, commitId } = repository;
  const host = await codeHosts.find(String(codeHostId));
  if (host === undefined)
    throw new EnvironmentProblem(`repository ${namespace}/${name}: code host ${codeHostId} does not exist`);
  return {
    address: repositoryAddress(host.shown, repository),
    access: await accessOf(String(codeHostId), host.shown),
    checkoutPath: repository.checkoutPath || name,
    remoteName: repository.remoteName,
    tag: repository.tag,
    commitId: enableCommit ? commitId : "",
    branch: repository.branch,
    mergeBranches: repository.mergeBranches,
    pullRequests: repository.pullRequests,
    pullRefs: codeHostProviders[host.shown.type].pullRefs ?? "pull",
    submodules: repository.submodules,
    disableSsl: host.shown.disableSsl,
    commitVariable: commitVariable(name),
  };
}

async function accessOf(id: string, { authType, username }: CodeHost): Promise<GitAccess> {
  const field = { token: "access_token", password: "password", ssh: "ssh_key" }[authType];
  const sealed = await findIntegrationSecret("code-host", id, field);
  if (sealed === undefined) return { kind: "none" };
  const secret = await unseal(sealed, { record: `code-host:${id}`, field });
  if (authType === "ssh") return { kind: "ssh", privateKey: secret };
  return { kind: "password", username: username || "oauth2", password: secret };
}
