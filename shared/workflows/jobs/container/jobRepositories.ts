import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import { treesOf } from "../../../manifest/tree.ts";
import type { Repository } from "../../definition/script/repository.ts";
import { repositoryForm, showRepository } from "../../definition/script/repositoryForm.ts";
import type { JobRepositories } from "../../definition/specParts.ts";
import { flag, listOf, requiredText, text, whole } from "../../definition/wireFields.ts";
import { jobNamed } from "../jobNamed.ts";
import type { PlanScope } from "../planner.ts";
import { withPushed } from "../pushedRevision.ts";
import { readPart } from "../readSpec.ts";

/** `repo_info` of a start call (contract W 3). */
export const repositoryInputs = listOf(
  z.looseObject({
    codehost_name: requiredText,
    repo_namespace: requiredText,
    repo_name: requiredText,
    branch: text,
    pr: whole,
    prs: z.array(z.int("must be a whole number"), "must be a list").nullish(),
    enable_commit: flag,
    commit_id: text,
  }),
);

/**
 * The configured repositories with what a start call says of them, empty values included; other repositories are ignored
 * (contract W 3).
 * @throws ApiError 6160 for a code host that does not exist
 */
export async function withRepositoryInputs(
  configured: JobRepositories,
  inputs: z.output<typeof repositoryInputs>,
): Promise<Record<string, unknown>[]> {
  const overrides = await Promise.all(
    inputs.map(async (input) => ({ input, codeHostId: await codeHostNamed(input.codehost_name) })),
  );
  return configured.map((repository) => {
    const { codeHostId, namespace, owner, name } = read(repository);
    const found = overrides.findLast(
      ({ input, codeHostId: id }) =>
        id === codeHostId && input.repo_name === name && [namespace, owner].includes(input.repo_namespace),
    );
    if (found === undefined) return { ...repository };
    const { branch, pr, prs, enable_commit, commit_id } = found.input;
    return {
      ...repository,
      ...{ branch: branch ?? "", pr: pr ?? 0, prs: prs ?? [] },
      ...{ enable_commit: enable_commit ?? false, commit_id: commit_id ?? "", tag: "" },
    };
  });
}

async function codeHostNamed(name: string): Promise<number> {
  const host = await codeHosts.findByName(name);
  if (host === undefined) throw new ApiError(6160, `failed to find code host with name:${name}`);
  return Number(host.id);
}

/** Repositories of a plan: for the runner, and as task detail shows them. */
export interface PlannedRepositories {
  run: Repository[];
  shown: Record<string, unknown>[];
}

/** @throws ApiError 6160 for a repository that is to come from a parameter or a job that does not have it */
export async function planRepositories(configured: JobRepositories, scope: PlanScope): Promise<PlannedRepositories> {
  const sources = configured.map((repository) => sourceOf(repository, scope));
  const run = sources.map(read).map((one) => withPushed(one, scope.definition));
  const ids = [...new Set(run.map(({ codeHostId }) => String(codeHostId)))];
  const hosts = await Promise.all(ids.map((id) => codeHosts.find(id)));
  const shown = run.map((one, at) => {
    const address = hosts[ids.indexOf(String(one.codeHostId))]?.shown.address ?? "";
    return { ...sources[at], ...withoutSecrets, ...showRepository(one), address };
  });
  return { run, shown };
}

const withoutSecrets = { oauth_token: "", password: "", ssh_key: "", private_access_token: "" };

function read(repository: unknown): Repository {
  return readPart(repositoryForm, repository, "repository");
}

/** A repository may be that of a parameter, or of another job (contract W 1.5 `source_from`). */
function sourceOf(repository: Record<string, unknown>, scope: PlanScope): Record<string, unknown> {
  if (repository.source_from === "param") {
    const name = String(repository.param_name ?? "");
    const param = scope.definition.params.find((one) => one.name === name && one.type === "repo");
    if (!param?.repo)
      throw new ApiError(6160, `repository parameter ${name}, which a job clones, is not in the workflow`);
    return { ...param.repo, ...placeOf(repository) };
  }
  if (repository.source_from === "job") return { ...ofJob(repository, scope), ...placeOf(repository) };
  return repository;
}

/** Where it is cloned to stays the job's own. */
function placeOf({ checkout_path, remote_name, submodules, hidden, is_primary }: Record<string, unknown>) {
  const place = { checkout_path, remote_name, submodules, hidden, is_primary };
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}

function ofJob(repository: Record<string, unknown>, scope: PlanScope): Record<string, unknown> {
  const { job_name, service_name, service_module, repo_index } = repository;
  const spec = jobNamed(scope, job_name)?.spec ?? {};
  const items = [spec.service_and_builds, spec.services, spec.test_modules, spec.scannings].flatMap(treesOf);
  const item = items.find((one) => one.service_name === service_name && one.service_module === service_module);
  const found = treesOf(item?.repos ?? spec.repos)[Number(repo_index ?? 0)];
  if (found === undefined || found.source_from === "job")
    throw new ApiError(6160, `job ${String(job_name ?? "")} has no repository that another job could take over`);
  return found;
}
