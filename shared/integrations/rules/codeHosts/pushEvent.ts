import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { type GitEvent, noEvent, type QuietEvent } from "./gitEvent.ts";
import { at, number, type Tree, text } from "./tree.ts";

/** A push of a branch or a tag; code hosts have it alike. */
export function pushEvent(body: Tree): GitEvent | QuietEvent | undefined {
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
