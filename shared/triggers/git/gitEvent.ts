import { isRecord } from "../../manifest/kubeObject.ts";
import type { GitEventName } from "../rules/trigger.ts";

export const gitVendors = ["github", "gitlab", "gitea", "gitee"] as const;
export type GitVendor = (typeof gitVendors)[number];

/** What happened in a repository, whichever code host tells of it. */
export interface GitEvent {
  event: Exclude<GitEventName, "pull_request">;
  /** That was pushed, or that a pull request brings. */
  branch: string;
  /** That a pull request goes into. */
  target: string;
  tag: string;
  commit: string;
  message: string;
  committer: string;
  /** Its number; 0: none. */
  pullRequest: number;
  /** That a push changes; absent where the code host does not say, or not of all. */
  files?: readonly string[];
}

type Tree = Readonly<Record<string, unknown>>;

const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
const text = (value: unknown, ...names: readonly string[]): string => {
  const found = at(value, ...names);
  return typeof found === "string" ? found : "";
};
const number = (value: unknown, ...names: readonly string[]): number => {
  const found = at(value, ...names);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : 0;
};

/** The repository: its namespace and name, and the address at which people see it. */
export function repositoryOf(vendor: GitVendor, body: unknown): { path: string; address: string } {
  if (vendor === "gitlab")
    return { path: text(body, "project", "path_with_namespace"), address: text(body, "project", "web_url") };
  return {
    path: text(body, "repository", "full_name") || text(body, "repository", "path_with_namespace"),
    address: text(body, "repository", "html_url") || text(body, "repository", "url"),
  };
}

/** @returns undefined for what starts nothing: a ping, a comment, a branch that is deleted */
export function gitEventOf(vendor: GitVendor, body: unknown): GitEvent | undefined {
  if (!isRecord(body)) return undefined;
  const isMergeRequest = isRecord(body.pull_request) || text(body, "object_kind") === "merge_request";
  if (isMergeRequest) return vendor === "gitlab" ? mergeRequest(body) : pullRequest(body);
  return pushOf(body);
}

const none = { branch: "", target: "", tag: "", commit: "", message: "", committer: "", pullRequest: 0 };

function pushOf(body: Tree): GitEvent | undefined {
  const ref = text(body, "ref");
  const commit = text(body, "after");
  if (commit === "" || /^0+$/.test(commit) || body.deleted === true) return undefined;
  const committer =
    text(body, "pusher", "login") ||
    text(body, "pusher", "name") ||
    text(body, "user_username") ||
    text(body, "user_name");
  const commits = Array.isArray(body.commits) ? body.commits : [];
  const message = text(body, "head_commit", "message") || text(commits.at(-1), "message");
  if (ref.startsWith("refs/tags/")) {
    // `after` of an annotated tag is the tag itself, which nobody can be told of.
    const tagged = text(body, "head_commit", "id") || text(body, "checkout_sha") || commit;
    return { ...none, event: "tag", tag: ref.slice("refs/tags/".length), commit: tagged, message, committer };
  }
  if (!ref.startsWith("refs/heads/")) return undefined;
  // GitLab tells of 20 commits, Gitea of 5 and Gitee of 10, and how many there are.
  const isWhole = Math.max(number(body, "total_commits_count"), number(body, "total_commits")) <= commits.length;
  const changed = commits.flatMap((one) => ["added", "modified", "removed"].flatMap((list) => at(one, list) ?? []));
  const files = changed.filter((one) => typeof one === "string");
  const branch = ref.slice("refs/heads/".length);
  return { ...none, event: "push", branch, commit, message, committer, ...(files.length > 0 && isWhole && { files }) };
}

/** GitHub, Gitea and Gitee have it alike but for the words of the action. */
function pullRequest(body: Tree): GitEvent | undefined {
  const pull = body.pull_request;
  const event = {
    opened: "pull_request_opened" as const,
    open: "pull_request_opened" as const,
    reopened: "pull_request_opened" as const,
    reopen: "pull_request_opened" as const,
    synchronize: "pull_request_updated" as const,
    synchronized: "pull_request_updated" as const,
    update: "pull_request_updated" as const,
    merge: "pull_request_merged" as const,
    closed: at(pull, "merged") === true ? ("pull_request_merged" as const) : undefined,
  }[text(body, "action")];
  const pullRequestNumber = number(pull, "number");
  if (event === undefined || pullRequestNumber === 0) return undefined;
  const merged = event === "pull_request_merged" ? text(pull, "merge_commit_sha") : "";
  return {
    ...{ event, branch: text(pull, "head", "ref"), target: text(pull, "base", "ref"), tag: "" },
    ...{ commit: merged || text(pull, "head", "sha"), message: text(pull, "title") },
    ...{ committer: text(pull, "user", "login"), pullRequest: pullRequestNumber },
  };
}

function mergeRequest(body: Tree): GitEvent | undefined {
  const pull = body.object_attributes;
  const event = {
    open: "pull_request_opened" as const,
    reopen: "pull_request_opened" as const,
    // Without it a title or a label was changed, and no commit.
    update: text(pull, "oldrev") === "" ? undefined : ("pull_request_updated" as const),
    merge: "pull_request_merged" as const,
  }[text(pull, "action")];
  const pullRequestNumber = number(pull, "iid");
  if (event === undefined || pullRequestNumber === 0) return undefined;
  const merged = event === "pull_request_merged" ? text(pull, "merge_commit_sha") : "";
  return {
    ...{ event, branch: text(pull, "source_branch"), target: text(pull, "target_branch"), tag: "" },
    ...{ commit: merged || text(pull, "last_commit", "id"), message: text(pull, "title") },
    ...{ committer: text(body, "user", "username"), pullRequest: pullRequestNumber },
  };
}
