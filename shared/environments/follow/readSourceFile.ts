import { createHash } from "node:crypto";
import * as z from "zod";
import { openCodeHost } from "../../integrations/codeHosts/openCodeHost.ts";
import {
  askCodeHost,
  FileUnreadable,
  type Host,
  mustBeRead,
  type RepositoryBranch,
  repositoryApi,
} from "../../integrations/codeHosts/repositoryApi.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { readValues } from "../../packaging/helm/rules/readValues.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { ConfigNotes, ConfigSource } from "../store/configRecords.ts";

/** As long as `yaml_data` may be. */
const maxBytes = 1_000_000;

/** Tells one text of a file from another. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Of the file that a configuration follows from now on; undefined for one that follows none. What the caller sent counts
 * until the file changes.
 * @throws EnvironmentProblem as `readSourceFile`
 */
export async function followedDigest({ autoSync, source }: Partial<ConfigNotes>): Promise<string | undefined> {
  return autoSync === true ? digestOf(await readSourceFile(source)) : undefined;
}

/**
 * The file of the repository that a configuration says it comes from.
 * @throws EnvironmentProblem naming the field that is wrong, or why the file cannot be read
 */
export async function readSourceFile(source: ConfigSource | null | undefined): Promise<string> {
  const repository = isRecord(source?.gitRepo) ? source.gitRepo : {};
  const field = (name: string, value: unknown): string => {
    if (typeof value === "string" && value !== "") return value;
    throw new EnvironmentProblem(`source_detail.${name} is required while auto_sync is true`);
  };
  const alias = field("git_repo_config.codehost_key", repository.codehost_key);
  const file = {
    namespace: field("git_repo_config.owner", repository.namespace || repository.owner),
    name: field("git_repo_config.repo", repository.repo),
    branch: field("git_repo_config.branch", repository.branch),
    path: field("load_path", source?.loadPath),
  };
  return readHostFile({ alias, field: "source_detail.git_repo_config.codehost_key" }, file);
}

/** @param field where the caller named the code host */
async function readHostFile({ alias, field }: { alias: string; field: string }, file: RepositoryFile): Promise<string> {
  const opened = await openCodeHost(alias);
  if (opened === undefined) throw new EnvironmentProblem(`${field}: code host ${alias} does not exist`);
  try {
    return await fetchFile(opened.host, opened.token, file, maxBytes);
  } catch (error) {
    if (error instanceof FileUnreadable) throw new EnvironmentProblem(error.message);
    throw error;
  }
}

const valuesSource = z.object({
  codehost_name: z.string().min(1),
  namespace: z.string().min(1),
  repo: z.string().min(1),
  branch: z.string().min(1),
  value_path: z.string().min(1),
  auto_sync: z.boolean().nullish(),
});

/**
 * Values of a chart out of a repository (contract P 6.2), as they are now.
 * @param field where the caller named the file
 * @throws EnvironmentProblem naming what is wrong there, or why the file cannot be read or holds no values
 */
export async function readValuesFile(field: string, sent: unknown): Promise<string> {
  const source = valuesSource.safeParse(sent);
  if (!source.success) {
    const wrong = source.error.issues.map(({ path }) => [field, ...path].join(".")).join(", ");
    throw new EnvironmentProblem(
      `${wrong}: values of a repository are named by codehost_name, namespace, repo, branch and value_path, which are texts`,
    );
  }
  const { codehost_name: alias, namespace, repo: name, branch, value_path: path, auto_sync } = source.data;
  if (auto_sync === true)
    throw new EnvironmentProblem(
      `${field}.auto_sync: a push does not deploy by itself; leave it out, and let a workflow with a git trigger deploy the service`,
    );
  const text = await readHostFile({ alias, field: `${field}.codehost_name` }, { namespace, name, branch, path });
  try {
    readValues(text);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new EnvironmentProblem(`${field}: ${path} on branch ${branch} of ${namespace}/${name}: ${error.message}`);
  }
  return text;
}

/** A file of a repository at the head of a branch. */
interface RepositoryFile extends RepositoryBranch {
  /** From the root of the repository. */
  path: string;
}

/**
 * Reads one file through the API of its code host.
 * @param token the access token of the code host
 * @param maxBytes longest file that is read
 * @throws FileUnreadable
 */
async function fetchFile(host: Host, token: string, file: RepositoryFile, maxBytes: number): Promise<string> {
  const what = `file ${file.path} on branch ${file.branch} of ${file.namespace}/${file.name}`;
  const { api, url, headers } = repositoryApi(host, token, file);
  const request = api.file(file.path.replace(/^\/+/, ""), encodeURIComponent(file.branch));
  const question = { headers: { ...headers, ...request.headers }, maxBytes };
  const { status, body } = await askCodeHost(host, url + request.path, question, what);
  mustBeRead(host, status, what);
  return body.toString("utf8");
}
