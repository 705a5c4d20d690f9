import type { GitVendor } from "../../../../shared/integrations/rules/codeHosts/providers.ts";

/** What a code host sends, as far as Slipway reads it, with the members that its documentation has. */
interface Row {
  /** As `docs/triggers.md` has it. */
  happens: string;
  calls: Partial<Record<GitVendor, { event: string; body: object }>>;
  /** The event that starts tasks, or why it starts none; undefined: it is no event of Git. */
  becomes: { event: string; bringsCommits?: boolean; fork?: string } | RegExp | undefined;
}

export const commit = "c0ffee".padEnd(40, "0");
const zeros = "0".repeat(40);

const own = { id: 1, full_name: "demo/web", html_url: "" };
const fork = { id: 2, full_name: "dev2/web", html_url: "" };

type Given = { head?: object | null; pull?: object; more?: object };

const pull = (
  vendor: "github" | "gitea" | "gitee",
  action: string,
  { head = own, pull = {}, more = {} }: Given = {},
) => ({
  event: vendor === "gitee" ? "Merge Request Hook" : "pull_request",
  body: {
    action,
    pull_request: {
      ...{ number: 7, title: "Add it", user: { login: "ada" }, labels: [], merged: false },
      head: { ref: "topic", sha: commit, label: "dev2:topic", repo: head },
      base: { ref: "main", sha: "b".repeat(40), repo: own },
      ...pull,
    },
    repository: own,
    ...more,
  },
});

const merge = (action: string, more: object = {}, attributes: object = {}) => ({
  event: "Merge Request Hook",
  body: {
    ...{ object_kind: "merge_request", user: { username: "ada" }, project: {}, changes: {}, ...more },
    object_attributes: {
      ...{ action, iid: 7, title: "Add it", source_branch: "topic", target_branch: "main" },
      ...{ source_project_id: 1, target_project_id: 1, last_commit: { id: commit, message: "Fix it" } },
      ...attributes,
    },
  },
});

const push = (vendor: GitVendor, ref: string, after = commit, message = "Fix it") => ({
  event:
    vendor === "github" || vendor === "gitea" ? "push" : ref.startsWith("refs/tags/") ? "Tag Push Hook" : "Push Hook",
  body: {
    ...{ ref, before: "b".repeat(40), after, object_kind: ref.startsWith("refs/tags/") ? "tag_push" : "push" },
    ...(vendor === "gitlab"
      ? { checkout_sha: after === zeros ? null : after, project: {}, total_commits_count: after === zeros ? 0 : 1 }
      : { deleted: after === zeros, head_commit: after === zeros ? null : { id: after, message }, repository: own }),
    commits: after === zeros ? [] : [{ id: after, message, added: [], modified: ["a.txt"], removed: [] }],
  },
});

const all = <T>(of: (vendor: GitVendor) => T) =>
  ({ github: of("github"), gitlab: of("gitlab"), gitea: of("gitea"), gitee: of("gitee") }) as const;
const withOpen = (given: Given, attributes: object) => ({
  github: pull("github", "opened", given),
  gitlab: merge("open", {}, attributes),
  gitea: pull("gitea", "opened", given),
  gitee: pull("gitee", "open", given),
});

/** Each row of the table of events in `docs/triggers.md`. */
export const rows: readonly Row[] = [
  {
    happens: "A branch is pushed, or made",
    calls: all((vendor) => push(vendor, "refs/heads/topic")),
    becomes: { event: "push" },
  },
  {
    happens: "A branch is deleted",
    calls: all((vendor) => push(vendor, "refs/heads/topic", zeros)),
    becomes: /^branch topic was deleted$/,
  },
  { happens: "A tag is pushed", calls: all((vendor) => push(vendor, "refs/tags/v7")), becomes: { event: "tag" } },
  {
    happens: "A tag is deleted",
    calls: all((vendor) => push(vendor, "refs/tags/v7", zeros)),
    becomes: /^tag v7 was deleted$/,
  },
  {
    happens: "A pull request is opened",
    calls: withOpen({}, {}),
    becomes: { event: "pull_request_opened", bringsCommits: true, fork: "" },
  },
  {
    happens: "… from a fork",
    calls: withOpen({ head: fork }, { source_project_id: 2, source: { path_with_namespace: "dev2/web" } }),
    becomes: { event: "pull_request_opened", fork: "dev2/web" },
  },
  {
    happens: "… opened again",
    calls: {
      github: pull("github", "reopened"),
      gitlab: merge("reopen"),
      gitea: pull("gitea", "reopened"),
      gitee: pull("gitee", "reopen"),
    },
    becomes: { event: "pull_request_opened", bringsCommits: false },
  },
  {
    happens: "… has new commits",
    calls: {
      github: pull("github", "synchronize"),
      gitlab: merge("update", {}, { oldrev: "b".repeat(40) }),
      gitea: pull("gitea", "synchronized"),
      gitee: pull("gitee", "update", { more: { action_desc: "source_branch_changed" } }),
    },
    becomes: { event: "pull_request_updated", bringsCommits: true },
  },
  {
    happens: "… has another target branch",
    calls: {
      github: pull("github", "edited", {
        more: { changes: { base: { ref: { from: "dev" }, sha: { from: commit } } } },
      }),
      gitlab: merge("update", { changes: { target_branch: { previous: "dev", current: "main" } } }),
      gitea: pull("gitea", "edited", { more: { changes: { ref: { from: "dev" } } } }),
      gitee: pull("gitee", "update", { more: { action_desc: "target_branch_changed" } }),
    },
    becomes: { event: "pull_request_updated", bringsCommits: true },
  },
  {
    happens: "… is merged",
    calls: {
      github: pull("github", "closed", { pull: { merged: true, merge_commit_sha: "e".repeat(40) } }),
      gitlab: merge("merge", {}, { merge_commit_sha: "e".repeat(40) }),
      gitea: pull("gitea", "closed", { pull: { merged: true, merge_commit_sha: "e".repeat(40) } }),
      gitee: pull("gitee", "merge", { pull: { merged: true, merge_commit_sha: "e".repeat(40) } }),
    },
    becomes: { event: "pull_request_merged" },
  },
  {
    happens: "… is closed without a merge",
    calls: {
      github: pull("github", "closed"),
      gitlab: merge("close"),
      gitea: pull("gitea", "closed"),
      gitee: pull("gitee", "close"),
    },
    becomes: /^pull request 7 has no new commits/,
  },
  {
    happens: "… has another label",
    calls: {
      github: pull("github", "labeled"),
      gitlab: merge("update", { changes: { labels: { previous: [], current: [{ title: "wip" }] } } }),
      gitea: pull("gitea", "label_updated"),
      gitee: pull("gitee", "update", { more: { action_desc: "update_label" } }),
    },
    becomes: /^pull request 7 has no new commits/,
  },
  {
    happens: "… has another title or text",
    calls: {
      github: pull("github", "edited", { more: { changes: { title: { from: "Add" } } } }),
      gitlab: merge("update", { changes: { title: { previous: "Add", current: "Add it" } } }),
      gitea: pull("gitea", "edited", { more: { changes: { title: { from: "Add" } } } }),
      gitee: pull("gitee", "update", { more: { action_desc: "update_title" } }),
    },
    becomes: /^pull request 7 has no new commits/,
  },
  {
    happens: "… is assigned, or somebody is asked to review",
    calls: {
      github: pull("github", "review_requested"),
      gitlab: merge("update", { changes: { assignees: { previous: [], current: [{ username: "ada" }] } } }),
      gitea: pull("gitea", "assigned"),
      gitee: pull("gitee", "update", { more: { action_desc: "update_assignee" } }),
    },
    becomes: /^pull request 7 has no new commits/,
  },
  {
    happens: "… is approved, or its draft is ready",
    calls: {
      github: pull("github", "ready_for_review"),
      gitlab: merge("approved"),
      gitea: pull("gitea", "milestoned"),
      gitee: pull("gitee", "approved"),
    },
    becomes: /^pull request 7 has no new commits/,
  },
  {
    happens: "A comment or a review of a pull request",
    calls: {
      github: {
        event: "pull_request_review",
        body: { ...pull("github", "submitted").body, review: { state: "approved" } },
      },
      gitlab: {
        event: "Note Hook",
        body: { object_kind: "note", object_attributes: { note: "/run" }, merge_request: {} },
      },
      gitea: {
        event: "pull_request_approved",
        body: { ...pull("gitea", "reviewed").body, review: { content: "fine" } },
      },
      gitee: { event: "Note Hook", body: { ...pull("gitee", "comment").body, comment: { body: "/run" } } },
    },
    becomes: undefined,
  },
  {
    happens: "The hook is tried, or something else happens",
    calls: {
      github: { event: "ping", body: { zen: "Keep it simple", hook_id: 1 } },
      gitlab: { event: "Issue Hook", body: { object_kind: "issue", object_attributes: { action: "open" } } },
      gitea: { event: "release", body: { action: "published", release: {}, repository: own } },
      gitee: { event: "Issue Hook", body: { action: "open", issue: {} } },
    },
    becomes: undefined,
  },
];
