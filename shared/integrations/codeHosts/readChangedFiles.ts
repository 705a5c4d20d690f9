import * as z from "zod";
import { parsedJson } from "../../base/common/parsedJson.ts";
import { askCodeHost, FileUnreadable, type Host, mustBeRead, type Repository, repositoryApi } from "./repositoryApi.ts";

/** GitHub reports no more files; more are not needed. */
const mostFiles = 3000;
/** Lists come with the changes themselves. */
const maxBytes = 32 * 1024 * 1024;
/** For all pages together. */
const longestSeconds = 60;

/**
 * The files that a pull request changes, by their names of before and after.
 * @param token the access token of the code host
 * @returns undefined where there are more than the code host tells of
 * @throws FileUnreadable
 */
export async function readChangedFiles(
  host: Host,
  token: string,
  repository: Repository,
  pullRequest: number,
): Promise<string[] | undefined> {
  const { api, url, headers } = repositoryApi(host, token, repository);
  const what = `list of changed files of pull request ${pullRequest} of ${repository.namespace}/${repository.name}`;
  const endsAt = performance.now() + longestSeconds * 1000;
  const names = new Set<string>();
  let listed = 0;
  for (let page = 1; ; page++) {
    const timeoutSeconds = Math.max(1, Math.min(15, (endsAt - performance.now()) / 1000));
    const question = { headers, maxBytes, timeoutSeconds };
    const answer = await askCodeHost(host, url + api.changedFiles(pullRequest, page), question, `the ${what}`);
    mustBeRead(host, answer.status, what);
    const { data: files } = changedFiles.safeParse(parsedJson(answer.body.toString("utf8")));
    if (files === undefined) throw new FileUnreadable(`code host ${host.alias} answers with no ${what}`);
    for (const name of files.flatMap(namesOf)) names.add(name);
    listed += files.length;
    if (listed >= (api.mostChangedFiles ?? mostFiles)) return undefined;
    if (files.length === 0 || !hasNext(answer.headers.link)) return [...names];
    if (performance.now() > endsAt)
      throw new FileUnreadable(`code host ${host.alias} takes longer than ${longestSeconds} s for the ${what}`);
  }
}

const name = z.string().optional().catch(undefined);
const names = { filename: name, previous_filename: name, new_path: name, old_path: name };
/** Gitee says within its `patch` what the name of a renamed file was. */
const changedFiles = z.array(z.object({ ...names, patch: z.object(names).optional().catch(undefined) }));

function namesOf({ patch, ...file }: z.output<typeof changedFiles>[number]): string[] {
  return [file, patch ?? {}].flatMap((one) => Object.values(one).filter((given) => given !== undefined));
}

/** RFC 8288. Only whether there is one: where it leads to is nothing that a token may follow. */
function hasNext(link: string | string[] | undefined): boolean {
  return /;\s*rel="?next"?/.test([link ?? []].flat().join());
}
