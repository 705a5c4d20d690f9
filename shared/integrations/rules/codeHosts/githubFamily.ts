import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { type GitEvent, noEvent, type QuietEvent } from "./gitEvent.ts";
import type { AskHost, CommitState, HostStatus } from "./provider.ts";
import { type Change, pullRequestEvents, quietPull } from "./pullRequestEvent.ts";
import { pushEvent } from "./pushEvent.ts";
import { at, number, type Tree, text } from "./tree.ts";

/** A path with its parts escaped. */
export function escapedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The repository of a call of GitHub, Gitea or Gitee. */
export function githubRepository(body: unknown): { path: string; address: string } {
  return {
    path: text(body, "repository", "full_name") || text(body, "repository", "path_with_namespace"),
    address: text(body, "repository", "html_url") || text(body, "repository", "url"),
  };
}

const states: Record<CommitState, string> = {
  ...{ pending: "pending", success: "success", failure: "failure", timeout: "failure", cancelled: "error" },
};

/** Sets a commit status of GitHub or Gitea. */
export async function setGithubStatus(
  ask: AskHost,
  { sha, state, context, description, link }: HostStatus,
): Promise<void> {
  const target = link === "" ? {} : { target_url: link };
  const body = { state: states[state], context, description, ...target };
  await ask({ method: "POST", path: `/statuses/${encodeURIComponent(sha)}`, body });
}

/**
 * A push or a pull request of GitHub, Gitea or Gitee, which have them alike but for the words of what changed. Sources:
 * docs.github.com/webhooks (`pull_request`), Gitea's `PullRequestPayload`, Gitee's "WebHook 数据格式".
 */
export function githubEvent(
  body: Tree,
  changeOf: (body: Tree) => Change | undefined,
): GitEvent | QuietEvent | undefined {
  return isRecord(body.pull_request) ? pullRequest(body, changeOf(body)) : pushEvent(body);
}

function pullRequest(body: Tree, change: Change | undefined): GitEvent | QuietEvent | undefined {
  const pull = body.pull_request;
  const pullRequestNumber = number(pull, "number");
  if (pullRequestNumber === 0) return undefined;
  const words = [text(body, "action"), text(body, "action_desc")].filter((word) => word !== "").join(" ");
  if (change === undefined) return quietPull(pullRequestNumber, words);
  const merged = change === "merged" ? text(pull, "merge_commit_sha") : "";
  return {
    ...noEvent,
    ...{ event: pullRequestEvents[change], branch: text(pull, "head", "ref"), target: text(pull, "base", "ref") },
    ...{ commit: merged || text(pull, "head", "sha"), message: text(pull, "title") },
    ...{ committer: text(pull, "user", "login"), pullRequest: pullRequestNumber },
    ...{ fork: forkOf(body), bringsCommits: change !== "opened again" },
  };
}

/** What a call of GitHub or Gitea says of its pull request. */
export function githubChange(body: Tree): Change | undefined {
  switch (text(body, "action")) {
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
