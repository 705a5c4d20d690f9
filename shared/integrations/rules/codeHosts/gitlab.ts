import { type GitEvent, noEvent, type QuietEvent } from "./gitEvent.ts";
import type { CodeHostProvider, CommitState } from "./provider.ts";
import { type Change, pullRequestEvents, quietPull } from "./pullRequestEvent.ts";
import { pushEvent } from "./pushEvent.ts";
import { number, type Tree, text } from "./tree.ts";

const states: Record<CommitState, string> = {
  ...{ pending: "pending", success: "success", failure: "failed", timeout: "failed", cancelled: "canceled" },
};

/**
 * GitLab. Sources: https://docs.gitlab.com/api/ (repositories, repository_files, merge_requests#list-merge-request-diffs,
 * commits#set-commit-pipeline-status) and "Webhook events" of docs.gitlab.com.
 */
export const gitlab = {
  api: {
    url: (address, parts) => `${address}/api/v4/projects/${parts.join("%2F")}`,
    headers: (token) => ({ "private-token": token }),
    file: (path, ref) => ({ path: `/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}` }),
    archive: (branch, folder) =>
      `/repository/archive.tar.gz?sha=${encodeURIComponent(branch)}&path=${encodeURIComponent(folder)}`,
    changedFiles: (pullRequest, page) => `/merge_requests/${pullRequest}/diffs?per_page=100&page=${page}`,
    setStatus: async (ask, { sha, state, context, description, link }) => {
      const body = { state: states[state], context, description, ...(link !== "" && { target_url: link }) };
      await ask({
        ...{ method: "POST", path: `/statuses/${encodeURIComponent(sha)}`, body },
        // GitLab refuses to set a status that is set already.
        isRepeated: (status, answer) => status === 400 && answer.includes(`from :${states[state]}`),
      });
    },
  },
  webhook: {
    eventHeader: "X-Gitlab-Event",
    deliveryHeader: "X-Gitlab-Event-UUID",
    signatureHeader: "X-Gitlab-Token",
    signatures: ({ secret }) => [secret],
    repositoryOf: (body) => ({
      path: text(body, "project", "path_with_namespace"),
      address: text(body, "project", "web_url"),
    }),
    parseEvent: (body) => (text(body, "object_kind") === "merge_request" ? mergeRequest(body) : pushEvent(body)),
  },
  pages: {
    commit: ({ address, path }, id) => `${address}/${path}/-/commit/${id}`,
    pullRequest: ({ address, path }, number) => `${address}/${path}/-/merge_requests/${number}`,
  },
  pullRefs: "merge-requests",
} satisfies CodeHostProvider;

function mergeRequest(body: Tree): GitEvent | QuietEvent | undefined {
  const pull = body.object_attributes;
  const pullRequestNumber = number(pull, "iid");
  if (pullRequestNumber === 0) return undefined;
  const action = text(pull, "action");
  // Without `oldrev` a title or a label was changed, and no commit.
  const bringsCommits = text(pull, "oldrev") !== "" || text(body, "changes", "target_branch", "current") !== "";
  const change: Change | undefined = {
    open: "opened" as const,
    reopen: "opened again" as const,
    update: bringsCommits ? ("updated" as const) : undefined,
    merge: "merged" as const,
  }[action];
  if (change === undefined) return quietPull(pullRequestNumber, action);
  const merged = change === "merged" ? text(pull, "merge_commit_sha") : "";
  const [from, into] = [number(pull, "source_project_id"), number(pull, "target_project_id")];
  return {
    ...noEvent,
    ...{ event: pullRequestEvents[change], branch: text(pull, "source_branch"), target: text(pull, "target_branch") },
    ...{ commit: merged || text(pull, "last_commit", "id"), message: text(pull, "title") },
    ...{ headMessage: change === "merged" ? "" : text(pull, "last_commit", "message") },
    ...{ committer: text(body, "user", "username"), pullRequest: pullRequestNumber },
    fork: from === into ? "" : text(pull, "source", "path_with_namespace") || `project ${from}`,
    bringsCommits: change !== "opened again",
  };
}
