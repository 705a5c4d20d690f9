import { createHash } from "node:crypto";
import { unseal } from "../../aws/secrets/sealedSecret.ts";
import { FileUnreadable, fetchFile } from "../../integrations/codeHosts/fetchFile.ts";
import { codeHosts } from "../../integrations/store/codeHosts.ts";
import { findIntegrationSecret } from "../../integrations/store/findIntegrationSecret.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
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
  const host = await codeHosts.findByName(alias);
  if (host === undefined)
    throw new EnvironmentProblem(`source_detail.git_repo_config.codehost_key: code host ${alias} does not exist`);
  const sealed = await findIntegrationSecret("code-host", host.id, "access_token");
  const token =
    sealed === undefined ? "" : await unseal(sealed, { record: `code-host:${host.id}`, field: "access_token" });
  try {
    return await fetchFile(host.shown, token, file, maxBytes);
  } catch (error) {
    if (error instanceof FileUnreadable) throw new EnvironmentProblem(error.message);
    throw error;
  }
}
