import { AnswerTooLong } from "../../base/outbound/outboundErrors.ts";
import {
  askCodeHost,
  FileUnreadable,
  type Host,
  mustBeRead,
  type RepositoryBranch,
  repositoryApi,
} from "./repositoryApi.ts";

const maxBytes = 32 * 1024 * 1024;
/** Some send on to where archives lie. */
const maxRedirects = 3;

/**
 * The files of a repository as its code host packs them, a gzipped tar.
 * @param token the access token of the code host; where it sends on to gets none
 * @param path a folder that is enough, for code hosts that can leave the rest out
 * @throws FileUnreadable
 */
export async function readRepository(
  host: Host,
  token: string,
  repository: RepositoryBranch,
  path: string,
): Promise<Buffer> {
  const what = `branch ${repository.branch} of ${repository.namespace}/${repository.name}`;
  const { api, url: base, headers: own } = repositoryApi(host, token, repository);
  const first = new URL(base + api.archive(repository.branch, path));
  let url = first;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const headers = url.origin === first.origin ? own : { "user-agent": "slipway" };
    const archive = `the archive of ${what}`;
    const answer = await askCodeHost(host, url.href, { headers, maxBytes }, archive).catch((error: unknown) => {
      if (error instanceof FileUnreadable && error.cause instanceof AnswerTooLong)
        throw new FileUnreadable(`${archive} has more than ${maxBytes} bytes; upload the packed chart instead`);
      throw error;
    });
    const next = answer.status >= 300 && answer.status < 400 ? answer.headers.location : undefined;
    if (next === undefined) {
      mustBeRead(host, answer.status, what);
      return answer.body;
    }
    const target = URL.parse(next, url.href);
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new FileUnreadable(`code host ${host.alias} sends on to something that is no address`);
    url = target;
  }
  throw new FileUnreadable(`code host ${host.alias} sends on more than ${maxRedirects} times`);
}
