import { type GitEvent, type GitVendor, noEvent, type QuietEvent } from "./gitEvent.ts";
import { at, number, type Tree, text } from "./readTree.ts";

/** What became of a pull request: one that is opened again is opened, and brings no commits. */
type Change = "opened" | "opened again" | "updated" | "merged" | undefined;

const events = {
  opened: "pull_request_opened",
  "opened again": "pull_request_opened",
  updated: "pull_request_updated",
  merged: "pull_request_merged",
} as const;

/**
 * A pull request of GitHub, Gitea or Gitee, which have it alike but for the words of what changed. Sources:
 * docs.github.com/webhooks (`pull_request`), Gitea's `PullRequestPayload`, Gitee's "WebHook 数据格式".
 */
export function pullRequest(vendor: Exclude<GitVendor, "gitlab">, body: Tree): GitEvent | QuietEvent | undefined {
  const pull = body.pull_request;
  const pullRequestNumber = number(pull, "number");
  if (pullRequestNumber === 0) return undefined;
  const change = changeOf(vendor, body);
  const words = [text(body, "action"), text(body, "action_desc")].filter((word) => word !== "").join(" ");
  if (change === undefined) return quiet(pullRequestNumber, words);
  const merged = change === "merged" ? text(pull, "merge_commit_sha") : "";
  return {
    ...noEvent,
    ...{ event: events[change], branch: text(pull, "head", "ref"), target: text(pull, "base", "ref") },
    ...{ commit: merged || text(pull, "head", "sha"), message: text(pull, "title") },
    ...{ committer: text(pull, "user", "login"), pullRequest: pullRequestNumber },
    ...{ fork: forkOf(body), bringsCommits: change !== "opened again" },
  };
}

function changeOf(vendor: Exclude<GitVendor, "gitlab">, body: Tree): Change {
  const action = text(body, "action");
  if (vendor === "gitee") {
    const isUpdated = /^(?:source|target)_branch_changed$/.test(text(body, "action_desc"));
    return {
      open: "opened" as const,
      reopen: "opened again" as const,
      update: isUpdated ? ("updated" as const) : undefined,
      merge: "merged" as const,
    }[action];
  }
  switch (action) {
    case "opened":
      return "opened";
    case "reopened":
      return "opened again";
    case "synchronize":
    case "synchronized":
      return "updated";
    case "edited":
      // Another target: GitHub has it in `base`, Gitea in `ref`.
      return text(body, "changes", "base", "ref", "from") + text(body, "changes", "ref", "from") === ""
        ? undefined
        : "updated";
    case "closed":
      return at(body, "pull_request", "merged") === true ? "merged" : undefined;
    default:
      return undefined;
  }
}

/** A merge request of GitLab. Source: docs.gitlab.com, "Webhook events", merge request events. */
export function mergeRequest(body: Tree): GitEvent | QuietEvent | undefined {
  const pull = body.object_attributes;
  const pullRequestNumber = number(pull, "iid");
  if (pullRequestNumber === 0) return undefined;
  const action = text(pull, "action");
  // Without `oldrev` a title or a label was changed, and no commit.
  const bringsCommits = text(pull, "oldrev") !== "" || text(body, "changes", "target_branch", "current") !== "";
  const change: Change = {
    open: "opened" as const,
    reopen: "opened again" as const,
    update: bringsCommits ? ("updated" as const) : undefined,
    merge: "merged" as const,
  }[action];
  if (change === undefined) return quiet(pullRequestNumber, action);
  const merged = change === "merged" ? text(pull, "merge_commit_sha") : "";
  const [from, into] = [number(pull, "source_project_id"), number(pull, "target_project_id")];
  return {
    ...noEvent,
    ...{ event: events[change], branch: text(pull, "source_branch"), target: text(pull, "target_branch") },
    ...{ commit: merged || text(pull, "last_commit", "id"), message: text(pull, "title") },
    ...{ headMessage: change === "merged" ? "" : text(pull, "last_commit", "message") },
    ...{ committer: text(body, "user", "username"), pullRequest: pullRequestNumber },
    fork: from === into ? "" : text(pull, "source", "path_with_namespace") || `project ${from}`,
    bringsCommits: change !== "opened again",
  };
}

function quiet(pullRequestNumber: number, words: string): QuietEvent {
  return {
    event: "pull_request",
    quiet: `pull request ${pullRequestNumber} has no new commits (${words || "no action"})`,
  };
}

/** Where a pull request comes from, if not from the repository itself; one that was deleted since was a fork. */
function forkOf(body: Tree): string {
  const head = at(body, "pull_request", "head");
  const repository = at(head, "repo");
  const own = [at(body, "pull_request", "base", "repo"), at(body, "pull_request", "base"), body.repository];
  if (repository === null) return text(head, "label") || "a repository that was deleted";
  const id = number(repository, "id") || number(head, "repo_id");
  const ownId = number(own[0], "id") || number(own[1], "repo_id") || number(own[2], "id");
  const name = nameOf(repository);
  const ownName = nameOf(own[0]) || nameOf(own[2]);
  const isOwn = id !== 0 && ownId !== 0 ? id === ownId : name === "" || name.toLowerCase() === ownName.toLowerCase();
  return isOwn ? "" : name || text(head, "label") || `repository ${id}`;
}

function nameOf(repository: unknown): string {
  return text(repository, "full_name") || text(repository, "path_with_namespace");
}
