import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { type GitEvent, type GitVendor, noEvent, type QuietEvent } from "./gitEvent.ts";
import { mergeRequest, pullRequest } from "./pullRequestEvent.ts";
import { at, number, type Tree, text } from "./readTree.ts";

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
    // `after` of an annotated tag is the tag itself, which can have no commit status.
    const tagged = text(body, "head_commit", "id") || text(body, "checkout_sha") || commit;
    return { ...told, event, tag: name, commit: tagged };
  }
  // GitLab tells of 20 commits, Gitea of 5 and Gitee of 10, and how many there are.
  const isWhole = Math.max(number(body, "total_commits_count"), number(body, "total_commits")) <= commits.length;
  const changed = commits.flatMap((one) => ["added", "modified", "removed"].flatMap((list) => at(one, list) ?? []));
  const files = changed.filter((one) => typeof one === "string");
  return { ...told, event, branch: name, commit, ...(files.length > 0 && isWhole && { files }) };
}
