import type { CheckedResponse } from "../../../base/outbound/checkedFetch.ts";
import { openCodeHostOf } from "../../codeHosts/openCodeHost.ts";
import { FileUnreadable, type Host, repositoryApi } from "../../codeHosts/repositoryApi.ts";
import type { HostRequest } from "../../rules/codeHosts/provider.ts";
import type { CommitStatus } from "../rules/commitStatus.ts";
import { NotDelivered, undeliverable } from "./notDelivered.ts";
import { sendJson } from "./post.ts";

/**
 * Sets a status at a commit by the code host's own interface; a repetition leaves one status.
 * @throws NotDelivered
 */
export async function sendCommitStatus(status: CommitStatus): Promise<void> {
  const opened = await openCodeHostOf(status.codeHostId);
  if (opened === undefined) throw undeliverable(`code host ${status.codeHostId} was deleted`);
  const { host, token } = opened;
  const { api, url, headers } = accessTo(host, token, status);
  const tls = host.disableSsl ? { rejectUnauthorized: false } : {};
  await api.setStatus(async ({ method, path, body, isRepeated }: HostRequest) => {
    const answer = await sendJson(url + path, { method, headers, tls, ...(body && { body: JSON.stringify(body) }) });
    const text = answer.body.toString("utf8");
    if (!isRepeated?.(answer.status, text)) mustBeTaken(host, status, answer);
    return text;
  }, status);
}

function accessTo(...where: Parameters<typeof repositoryApi>): ReturnType<typeof repositoryApi> {
  try {
    return repositoryApi(...where);
  } catch (error) {
    if (error instanceof FileUnreadable) throw undeliverable(error.message);
    throw error;
  }
}

/** @throws NotDelivered unless the code host took it; another try helps where it is the code host that is in trouble */
function mustBeTaken({ alias }: Host, commit: CommitStatus, answer: CheckedResponse): void {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return;
  const repository = `${commit.namespace}/${commit.name}`;
  const isBusy = headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0";
  if (status === 401) throw undeliverable(`code host ${alias} does not accept its access token`);
  if (status === 403 && !isBusy)
    throw undeliverable(`the access token of code host ${alias} may not set statuses at commits of ${repository}`);
  if (status === 404)
    throw undeliverable(
      `code host ${alias} has no commit ${commit.sha} in ${repository}, or its access token may not set statuses there`,
    );
  const isWrong = status >= 300 && status < 500 && ![403, 408, 409, 429].includes(status);
  throw new NotDelivered(`code host ${alias} answered the status with HTTP ${status}`, { isWorthAnother: !isWrong });
}
