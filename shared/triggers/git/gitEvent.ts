import { isRecord } from "../../manifest/kubeObject.ts";
import type { GitEventName } from "../rules/trigger.ts";
import { mergeRequest, pullRequest } from "./pullRequestEvent.ts";
import { at, number, type Tree, text } from "./readTree.ts";

export const gitVendors = ["github", "gitlab", "gitea", "gitee"] as const;
export type GitVendor = (typeof gitVendors)[number];

/** What happened in a repository, whichever code host tells of it, and what there is to run because of it. */
export interface GitEvent {
  event: Exclude<GitEventName, "pull_request">;
  /** That was pushed, or that a pull request brings. */
  branch: string;
  /** That a pull request goes into. */
  target: string;
  tag: string;
  commit: string;
  /** Of the head commit; of a pull request its title. */
  message: string;
  /** Of the head commit; empty where the code host does not say. */
  headMessage: string;
  committer: string;
  /** Its number; 0: none. */
  pullRequest: number;
  /** The repository that a pull request comes from, where it is another one; empty: it is not. */
  fork: string;
  /** Whether there are commits, or a target, that were not there before: a pull request that is opened again brings none. */
  bringsCommits: boolean;
  /** That a push changes; absent where the code host does not say, or not of all. */
  files?: readonly string[];
}

/** Something that happened and brings nothing to run, and why in a sentence. */
export interface QuietEvent {
  event: "push" | "tag" | "pull_request";
  quiet: string;
}

/** What every event has until it says otherwise. */
export const noEvent = {
  ...{ branch: "", target: "", tag: "", commit: "", message: "", headMessage: "", committer: "" },
  ...{ pullRequest: 0, fork: "", bringsCommits: true },
} as const;

/** The repository: its namespace and name, and the address at which people see it; empty where a call is of none. */
export function repositoryOf(vendor: GitVendor, body: unknown): { path: string; address: string } {
  if (vendor === "gitlab")
    return { path: text(body, "project", "path_with_namespace"), address: text(body, "project", "web_url") };
  return {
    path: text(body, "repository", "full_name") || text(body, "repository", "path_with_namespace"),
    address: text(body, "repository", "html_url") || text(body, "repository", "url"),
  };
}

/** @returns undefined for what is no push, tag or pull request: a ping, a comment, a review */
export function gitEventOf(vendor: GitVendor, body: unknown): GitEvent | QuietEvent | undefined {
  if (!isRecord(body) || isRecord(body.comment) || isRecord(body.review)) return undefined;
  if (vendor === "gitlab" && text(body, "object_kind") === "merge_request") return mergeRequest(body);
  if (vendor !== "gitlab" && isRecord(body.pull_request)) return pullRequest(vendor, body);
  return pushOf(body);
}

function pushOf(body: Tree): GitEvent | QuietEvent | undefined {
  const ref = text(body, "ref");
  const commit = text(body, "after");
  const [, kind, name = ""] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (kind === undefined || commit === "") return undefined;
  const event = kind === "tags" ? "tag" : "push";
  if (/^0+$/.test(commit) || body.deleted === true)
    return { event, quiet: `${event === "tag" ? "tag" : "branch"} ${name} was deleted` };
  const committer =
    text(body, "pusher", "login") ||
    text(body, "pusher", "name") ||
    text(body, "user_username") ||
    text(body, "user_name");
  const commits = Array.isArray(body.commits) ? body.commits : [];
  // Gitea has the newest commit first, the others last.
  const head = isRecord(body.head_commit) ? body.head_commit : commits.find((one) => text(one, "id") === commit);
  const message = text(head ?? commits.at(-1), "message");
  const told = { ...noEvent, message, headMessage: message, committer };
  if (event === "tag") {
    // `after` of an annotated tag is the tag itself, which nobody can be told of.
    const tagged = text(body, "head_commit", "id") || text(body, "checkout_sha") || commit;
    return { ...told, event, tag: name, commit: tagged };
  }
  // GitLab tells of 20 commits, Gitea of 5 and Gitee of 10, and how many there are.
  const isWhole = Math.max(number(body, "total_commits_count"), number(body, "total_commits")) <= commits.length;
  const changed = commits.flatMap((one) => ["added", "modified", "removed"].flatMap((list) => at(one, list) ?? []));
  const files = changed.filter((one) => typeof one === "string");
  return { ...told, event, branch: name, commit, ...(files.length > 0 && isWhole && { files }) };
}
