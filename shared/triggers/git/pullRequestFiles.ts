import { fetchChangedFiles } from "../../integrations/codeHosts/fetchChangedFiles.ts";
import { openCodeHostOf } from "../../integrations/codeHosts/openCodeHost.ts";
import { FileUnreadable } from "../../integrations/codeHosts/repositoryApi.ts";
import { untouched } from "../rules/pathFilter.ts";
import type { Payload } from "../rules/payload.ts";
import type { GitTrigger } from "../rules/trigger.ts";

/**
 * Why a pull request changes nothing that a trigger listens to, by what its code host says: no event has its files.
 * @returns undefined when it does, and for what is no pull request
 * @throws FileUnreadable
 */
export async function unmeantPullRequest(
  { folders, codeHostId, namespace, repository: name }: GitTrigger,
  { trigger: { pr = "" } }: Payload,
): Promise<string | undefined> {
  if (folders.length === 0 || pr === "") return undefined;
  const opened = await openCodeHostOf(codeHostId);
  if (opened === undefined) throw new FileUnreadable(`code host ${codeHostId} was deleted`);
  const files = await fetchChangedFiles(opened.host, opened.token, { namespace, name }, Number(pr));
  return files && untouched(folders, files);
}
