import { parsedJson } from "../../../base/common/parsedJson.ts";
import type { CheckedResponse } from "../../../base/outbound/checkedFetch.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { openCodeHostOf } from "../../codeHosts/openCodeHost.ts";
import { FileUnreadable, repositoryApi } from "../../codeHosts/repositoryApi.ts";
import type { CodeHost } from "../../store/codeHosts.ts";
import type { CommitState, CommitStatus } from "../rules/commitStatus.ts";
import { NotDelivered, undeliverable } from "./notDelivered.ts";
import { sendJson } from "./post.ts";

type Ask = (method: "GET" | "POST" | "PATCH", path: string, body?: object) => Promise<CheckedResponse>;

/**
 * Sets a status at a commit by the code host's own interface; a repetition leaves one status. Interfaces:
 * https://docs.github.com/en/rest/commits/statuses, https://docs.gitlab.com/api/commits/#set-commit-pipeline-status,
 * `POST /repos/{owner}/{repo}/statuses/{sha}` of Gitea, and Gitee's check runs, which it has in the place of statuses.
 * @throws NotDelivered
 */
export async function sendCommitStatus(status: CommitStatus): Promise<void> {
  const { codeHostId, namespace, name, sha, context, state, description, link } = status;
  const opened = await openCodeHostOf(codeHostId);
  if (opened === undefined) throw undeliverable(`code host ${codeHostId} was deleted`);
  const { host, token } = opened;
  const { type, ask } = askerOf(host, token, { namespace, name });
  const target = link === "" ? {} : { target_url: link };
  switch (type) {
    case "github":
    case "gitea": {
      const body = { state: ofGitHub[state], context, description, ...target };
      return mustBeTaken(host, status, await ask("POST", `/statuses/${encodeURIComponent(sha)}`, body));
    }
    case "gitlab": {
      const body = { state: ofGitLab[state], context, description, ...target };
      const answer = await ask("POST", `/statuses/${encodeURIComponent(sha)}`, body);
      // GitLab refuses to set a status that is set already: an earlier try arrived.
      if (answer.status === 400 && textOf(answer).includes(`from :${ofGitLab[state]}`)) return;
      return mustBeTaken(host, status, answer);
    }
    case "gitee":
      return checkRun(host, status, ask);
  }
}

const ofGitHub: Record<CommitState, string> = {
  ...{ pending: "pending", success: "success", failure: "failure", timeout: "failure", cancelled: "error" },
};
const ofGitLab: Record<CommitState, string> = {
  ...{ pending: "pending", success: "success", failure: "failed", timeout: "failed", cancelled: "canceled" },
};
const ofGitee: Record<Exclude<CommitState, "pending">, string> = {
  ...{ success: "success", failure: "failure", timeout: "timed_out", cancelled: "cancelled" },
};

function askerOf(host: CodeHost, token: string, repository: { namespace: string; name: string }) {
  const tls = host.disableSsl ? { rejectUnauthorized: false } : {};
  try {
    const { type, url, headers } = repositoryApi(host, token, repository);
    const ask: Ask = (method, path, body) =>
      sendJson(url + path, { method, headers, tls, ...(body && { body: JSON.stringify(body) }) });
    return { type, ask };
  } catch (error) {
    if (error instanceof FileUnreadable) throw undeliverable(error.message);
    throw error;
  }
}

/** One check run for each context that has not ended: what has ended cannot be changed in Gitee. */
async function checkRun(host: CodeHost, status: CommitStatus, ask: Ask): Promise<void> {
  const { sha, context, state, description, link } = status;
  const ended = state === "pending" ? { status: "in_progress" } : { status: "completed", conclusion: ofGitee[state] };
  const output = { title: context, summary: description };
  const body = { name: context, ...ended, output, ...(link !== "" && { details_url: link }) };
  const path = `/commits/${encodeURIComponent(sha)}/check-runs?check_name=${encodeURIComponent(context)}`;
  const found = await ask("GET", path);
  mustBeTaken(host, status, found);
  const open = checkRunsOf(textOf(found)).find((one) => one.name === context && one.status !== "completed");
  const answer =
    open === undefined
      ? await ask("POST", "/check-runs", { head_sha: sha, ...body })
      : await ask("PATCH", `/check-runs/${open.id}`, body);
  mustBeTaken(host, status, answer);
}

/** A list, or an object around one. */
function checkRunsOf(text: string): { id: number; name: unknown; status: unknown }[] {
  const read = parsedJson(text);
  const list = isRecord(read) ? read.check_runs : read;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) =>
    isRecord(one) && Number.isSafeInteger(one.id) ? [{ id: Number(one.id), name: one.name, status: one.status }] : [],
  );
}

const textOf = ({ body }: CheckedResponse): string => body.toString("utf8");

/** @throws NotDelivered unless the code host took it; another try helps where it is the code host that is in trouble */
function mustBeTaken({ alias }: CodeHost, commit: CommitStatus, answer: CheckedResponse): void {
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
